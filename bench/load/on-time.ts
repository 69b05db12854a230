// A latency is the server's alone only if the load generator sent its requests on time. A run that was late
// is reported, discarded and repeated. If every run is late, the best one is reported as doubtful and not
// saved.

import type { Measured } from '../world/measure-load.ts'

/** Milliseconds, 99th percentile. */
export const LATE_MS = 1
const ATTEMPTS = 3

export type OnTime = Measured & { doubt: string | undefined }

export async function onTime(measure: () => Promise<Measured>): Promise<OnTime> {
  const runs: Measured[] = []
  while (runs.length < ATTEMPTS) {
    const run = await measure()
    const doubt = doubtOf(run)
    if (doubt === undefined) return { ...run, doubt }
    console.error(`thrown away: ${doubt}`)
    runs.push(run)
  }
  const best = runs.reduce((a, b) => (b.lateness.p99 < a.lateness.p99 ? b : a))
  return { ...best, doubt: doubtOf(best) }
}

export function doubtOf({ lateness }: Measured): string | undefined {
  if (lateness.p99 <= LATE_MS) return undefined
  return `the load generator was late by ${lateness.p99.toFixed(1)} ms (p99)`
}
