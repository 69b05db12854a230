// Tells whether nothing more will arrive for a request: it was sent, and no job is working on it any more.

export function whenAsked(asked: Promise<void>, isUnderWay: () => boolean): () => boolean {
  let isAsked = false
  void asked.then(() => {
    isAsked = true
  })
  return () => isAsked && !isUnderWay()
}
