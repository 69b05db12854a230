// Two counts of the writer's commits, in the header of the invalidation ring, which every reader has. Each is
// odd from just before a commit. The count of all commits stays odd until their invalidations are published,
// so that a reader knows without asking the database whether any row has changed; the count of commits that
// also change memory, until graph and timelines match the rows. Readers that need both in step wait for it.

const STEP_MS = 5

/** Indexes of the counts in the integers of an `InvalidationWriter`'s buffer. */
const PUBLISHING = 2
const COMMITS = 3

/** Called by the writer before each commit. */
export function beginCommit(ints: Int32Array): void {
  if ((Atomics.load(ints, COMMITS) & 1) === 0) Atomics.add(ints, COMMITS, 1)
}

/**
 * Called by the writer once the invalidations of the commit are published, or nothing was
 * committed.
 */
export function endCommit(ints: Int32Array): void {
  if ((Atomics.load(ints, COMMITS) & 1) === 1) Atomics.add(ints, COMMITS, 1)
}

/**
 * Loaded before rows are read: while the count is the same, the rows are too.
 * @returns undefined while a commit is under way
 */
export function settledCommits(ints: Int32Array): number | undefined {
  const count = Atomics.load(ints, COMMITS)
  return (count & 1) === 0 ? count : undefined
}

/** Called by the writer before its commit. */
export function beginPublishing(ints: Int32Array): void {
  if ((Atomics.load(ints, PUBLISHING) & 1) === 0) Atomics.add(ints, PUBLISHING, 1)
}

/** Called by the writer once memory matches its rows. */
export function endPublishing(ints: Int32Array): void {
  if ((Atomics.load(ints, PUBLISHING) & 1) === 0) return
  Atomics.add(ints, PUBLISHING, 1)
  Atomics.notify(ints, PUBLISHING)
}

/** Whether a commit is, or may be, in rows and not yet in memory. */
export function isPublishing(ints: Int32Array): boolean {
  return (Atomics.load(ints, PUBLISHING) & 1) === 1
}

/**
 * Waits until everything committed before this call is in memory.
 * @returns whether it is; false after the timeout
 */
export function awaitPublished(ints: Int32Array, withinMs: number): boolean {
  const count = Atomics.load(ints, PUBLISHING)
  if ((count & 1) === 0) return true
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += STEP_MS) {
    if (Atomics.wait(ints, PUBLISHING, count, STEP_MS) !== 'timed-out') return true
  }
  return Atomics.load(ints, PUBLISHING) !== count
}
