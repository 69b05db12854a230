// Detects that the wall clock was set back, by comparing it with the monotonic clock: anything that waits for
// a moment of the wrong time would wait for hours. A clock set forward does no harm, since things are then
// only due too early.

const TOLERANCE_MS = 1_000

/** @returns milliseconds by which the clock was set back since the last call; 0 if it was not */
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
