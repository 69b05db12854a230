// Measures a few times a second how much of its time a thread is busy: at a share near one, new work has to
// wait. A thread that is ready to run but has no processor counts as busy, which makes the share a measure of
// load.

const EVERY_MS = 50

/** @param tell - called with the share of the last interval, 0 to 1 */
export function watchBusyShare(tell: (share: number) => void): { stop(): void } {
  let last = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    tell(performance.eventLoopUtilization(now, last).utilization)
    last = now
  }, EVERY_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
