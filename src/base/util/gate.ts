// For what is to happen now and then at most, however often it is asked for: a line in the log, a look at something.

/** @returns whether it may be now: true at once, and then as soon as `everyMs` have passed since the last time. */
export function createGate(
  everyMs: number,
  now: () => number = () => performance.now(),
): () => boolean {
  let openedAt = -Infinity
  return () => {
    if (now() - openedAt < everyMs) return false
    openedAt = now()
    return true
  }
}
