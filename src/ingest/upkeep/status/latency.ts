// How long events take from the socket to memory: a reservoir of samples since the last report.

const MAX_SAMPLES = 10_000

export type LatencyRecorder = {
  record(milliseconds: number): void
  /** Returns the figures since the last call and starts again. */
  take(): { p50: number; p99: number; count: number }
}

export function createLatencyRecorder(): LatencyRecorder {
  let samples: number[] = []
  let count = 0
  return {
    record(milliseconds) {
      // Beyond the bound, samples replace each other evenly enough for a percentile.
      samples[count % MAX_SAMPLES] = milliseconds
      count++
    },
    take() {
      const sorted = samples.sort((a, b) => a - b)
      const at = (share: number) =>
        sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
      const taken = { p50: at(0.5), p99: at(0.99), count }
      samples = []
      count = 0
      return taken
    },
  }
}
