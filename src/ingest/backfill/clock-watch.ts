// Notices when the wall clock was set back, against the clock that only counts: whatever waits until a
// moment of the wrong time would wait for hours. Set forward it does no harm, since things are then
// only due too early.

const TOLERANCE_MS = 1_000

/** @returns by how many milliseconds the clock was set back since this was last asked; 0: it was not. */
export function watchClock(
  now: () => number,
  elapsed: () => number = () => performance.now(),
): () => number {
  let ahead = now() - elapsed()
  return () => {
    const before = ahead
    ahead = now() - elapsed()
    return before - ahead > TOLERANCE_MS ? before - ahead : 0
  }
}
