// How much of its time a thread is at work, a few times a second: from a share near one on, whatever comes in waits.
// A thread that is ready to run and has no processor counts as at work, which is what makes it a sign of need.

const EVERY_MS = 50

/** @param tell - is given the share of the last moment, 0 to 1 */
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
