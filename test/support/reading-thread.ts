// A writer that tests a reading thread goes on until the reader has read enough: how fast a thread
// comes to run is the machine's business.

const MAX_WAIT_MS = 150_000

/**
 * @param shared - place 0 tells the reader to stop, place 1 is the reader's count.
 * @returns asks whether the reader has read so often, or will not in reasonable time.
 */
export function readerIsDone(shared: Int32Array, reads: number): () => boolean {
  const giveUpAt = performance.now() + MAX_WAIT_MS
  return () => Atomics.load(shared, 1) > reads || performance.now() > giveUpAt
}
