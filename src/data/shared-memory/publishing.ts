// Whether what the writer has committed is in memory, too. Rows are visible at their commit, graph and timelines a
// moment later; who must not see the one without the other waits here, which takes as long as publishing a batch.
//
// A count that is odd from just before a commit until its changes are published. It lies in the ring of
// invalidations' shared memory, which every reader has (invalidation-ring.ts).

const STEP_MS = 5

/** Where the count is, in the integers of a `InvalidationWriter`'s buffer: in its header. */
const PUBLISHING = 2

/** By the writer, before its commit. */
export function beginPublishing(ints: Int32Array): void {
  if ((Atomics.load(ints, PUBLISHING) & 1) === 0) Atomics.add(ints, PUBLISHING, 1)
}

/** By the writer, once memory is what its rows say. */
export function endPublishing(ints: Int32Array): void {
  if ((Atomics.load(ints, PUBLISHING) & 1) === 0) return
  Atomics.add(ints, PUBLISHING, 1)
  Atomics.notify(ints, PUBLISHING)
}

/**
 * Waits until everything that was committed before this call is in memory.
 * @returns whether it is; false where that took too long.
 */
export function awaitPublished(ints: Int32Array, withinMs: number): boolean {
  const count = Atomics.load(ints, PUBLISHING)
  if ((count & 1) === 0) return true
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += STEP_MS) {
    if (Atomics.wait(ints, PUBLISHING, count, STEP_MS) !== 'timed-out') return true
  }
  return Atomics.load(ints, PUBLISHING) !== count
}
