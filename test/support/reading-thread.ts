// A writer that tests a reading thread continues until the reader has read enough, since it is up to the
// machine when a thread gets to run.

const MAX_WAIT_MS = 150_000

/**
 * @param shared - slot 0 tells the reader to stop, slot 1 is the reader's count.
 * @returns a function that tells whether the reader has done this many reads, or has timed out.
 */
export function readerIsDone(shared: Int32Array, reads: number): () => boolean {
  const giveUpAt = performance.now() + MAX_WAIT_MS
  return () => Atomics.load(shared, 1) > reads || performance.now() > giveUpAt
}
