// Whether nothing more will come of what was asked for: it was asked for, and nobody is at it any more.

export function whenAsked(asked: Promise<void>, isUnderWay: () => boolean): () => boolean {
  let isAsked = false
  void asked.then(() => {
    isAsked = true
  })
  return () => isAsked && !isUnderWay()
}
