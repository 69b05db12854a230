// Tells whether nothing more will arrive for a request: it was sent, and no job is working on it any more.

export function whenRequested(requested: Promise<void>, isUnderWay: () => boolean): () => boolean {
  let isRequested = false
  void requested.then(() => {
    isRequested = true
  })
  return () => isRequested && !isUnderWay()
}
