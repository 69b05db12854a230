// Waiting of a load generator for the next request's time.

const NAP_MS = 0.05
const bell = new Int32Array(new SharedArrayBuffer(4))

/**
 * Timers fire a millisecond late, which is longer than many answers take, and spinning would take a
 * core from the server. So this thread sleeps in short steps, which delay answers by up to a tenth
 * of a millisecond.
 */
export function nap(untilDueMs: number): void {
  if (untilDueMs > NAP_MS) Atomics.wait(bell, 0, 0, NAP_MS)
}
