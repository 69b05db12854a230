// Whether this thread was stopped for some seconds and has only just gone on. What it finds waiting then may have been
// asked of somebody else since: whoever asked has no way to take it back.

type WakeWatch = {
  justWoke(): boolean
  close(): void
}

const LOOK_EVERY_MS = 250
/** Until what had been waiting is gone through. */
const SETTLED_AFTER_MS = 1_000

/** @param stoppedMs - a shorter standstill is none */
export function createWakeWatch(stoppedMs: number): WakeWatch {
  let lookedAt = performance.now()
  let wokeAt = -Infinity

  function look(): void {
    const now = performance.now()
    if (now - lookedAt > stoppedMs) wokeAt = now
    lookedAt = now
  }

  const timer = setInterval(look, LOOK_EVERY_MS)
  timer.unref()
  return {
    justWoke() {
      // What waited at a socket comes before the timer does.
      look()
      return performance.now() - wokeAt < SETTLED_AFTER_MS
    },
    close: () => clearInterval(timer),
  }
}
