// Two counts of the writer's commits, in the header of the ring of invalidations, which every reader has. Each is
// odd from just before a commit: the one of all commits until their invalidations are told, so that a reader knows
// without asking the database whether any row has changed; the other, of commits that change memory, too, until
// graph and timelines are what the rows say. Who must not see the rows without those waits for it.

const STEP_MS = 5

/** Where the counts are, in the integers of an `InvalidationWriter`'s buffer. */
const PUBLISHING = 2
const COMMITS = 3

/** By the writer, before each commit. */
export function beginCommit(ints: Int32Array): void {
  if ((Atomics.load(ints, COMMITS) & 1) === 0) Atomics.add(ints, COMMITS, 1)
}

/** By the writer, once it is told what was committed, or nothing was. */
export function endCommit(ints: Int32Array): void {
  if ((Atomics.load(ints, COMMITS) & 1) === 1) Atomics.add(ints, COMMITS, 1)
}

/**
 * Loaded before rows are read: as long as it is the same they are, too.
 * @returns undefined while a commit is under way.
 */
export function settledCommits(ints: Int32Array): number | undefined {
  const count = Atomics.load(ints, COMMITS)
  return (count & 1) === 0 ? count : undefined
}

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
