// Detects whether this thread was stopped for some seconds and has just resumed. Requests that waited
// meanwhile may have been sent to another node since, and their callers cannot take them back.

type WakeWatch = {
  justWoke(): boolean
  close(): void
}

const LOOK_EVERY_MS = 250
/** By then, the requests that had been waiting are processed. */
const SETTLED_AFTER_MS = 1_000

/** @param stoppedMs - shorter stops are ignored */
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
      // Work waiting at a socket is processed before the timer fires.
      look()
      return performance.now() - wokeAt < SETTLED_AFTER_MS
    },
    close: () => clearInterval(timer),
  }
}
