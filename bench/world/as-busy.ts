// Requests that keep the plain server as busy as the product at the same rate. What an answer costs changes
// with the minute on a virtual machine: so the requests are made for the product's processor time an answer,
// and made again after each pair of slices. Latencies at another share of a thread could not be compared.

import { getRequest, type LoadGenerator } from '../load/load-generator.ts'
import type { LoadPlan } from '../load/types.ts'
import { type Measured, type MeasuredServer, measureLoad } from './measure-load.ts'
import { plainPath } from './plain-server.ts'

const TUNINGS = 3
const FIRST_ROUNDS = 100_000
/** A slice that was disturbed must not throw the next one far off. */
const MOST_AT_ONCE = 1.5

export type AsBusy = {
  requests(): Buffer[]
  /** What an answer cost in a slice of each: the serving thread's processor time. */
  adjust(ours: Measured, theirs: Measured): void
}

/** `most` is the product at its maximum rate. */
export async function createAsBusy(
  { generator, plain }: { generator: LoadGenerator; plain: MeasuredServer },
  most: Measured,
): Promise<AsBusy> {
  const bytes = most.bodyBytes / most.answered
  const requestsOf = (rounds: number) => [getRequest(plainPath({ rounds, bytes }))]
  const costOf = async (rounds: number) => {
    const closed: Omit<LoadPlan, 'port'> = {
      requests: requestsOf(rounds),
      connections: 8,
      warmupSeconds: 0.1,
      seconds: 0.5,
      load: { kind: 'closed' },
    }
    return (await measureLoad({ generator, app: plain }, closed)).servingCpuMs
  }
  let rounds = FIRST_ROUNDS
  await costOf(rounds)
  const leastMs = await costOf(0)
  const scale = (wantedMs: number, foundMs: number) =>
    Math.max(0, wantedMs - leastMs) / Math.max(foundMs - leastMs, 1e-3)
  for (let i = 0; i < TUNINGS; i++) rounds *= scale(most.servingCpuMs, await costOf(rounds))
  return {
    requests: () => requestsOf(rounds),
    adjust: (ours, theirs) => {
      const ratio = scale(ours.servingCpuMs, theirs.servingCpuMs)
      rounds *= Math.min(Math.max(ratio, 1 / MOST_AT_ONCE), MOST_AT_ONCE)
    },
  }
}
