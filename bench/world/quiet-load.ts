// Latencies at a load, as a sceptic would take them: in slices of two seconds, of which one is discarded if the
// load generator was late or anything else used the processors. Between them a plain server, whose answers
// cost as much and are as long, gets the same load: its latencies are those of the machine and the method.

import { Histogram, type Quantiles } from '../load/histogram.ts'
import { getRequest, type LoadGenerator } from '../load/load-generator.ts'
import type { LoadPlan, OpenLoop } from '../load/types.ts'
import { quantile } from '../quantile.ts'
import { type Asked, type Measured, measureLoad } from './measure-load.ts'
import { watchOthers } from './other-processes.ts'
import { type PlainServer, plainPath } from './plain-server.ts'

/** Milliseconds, 99th percentile. Latencies count from when a request is due, so lateness only makes them longer. */
const LATE_MS = 2
/** Of the measured latency, where four busy threads share two cores and the latency is long. */
const LATE_SHARE = 1 / 50
const SLICE_SECONDS = 2
/** Processor time of everything else in a second. */
const OTHERS_MS = 30
const WARM_UP_SECONDS = 0.5
const TUNINGS = 3
const FIRST_ROUNDS = 100_000

export type QuietLoad = {
  latency: Latency
  /** Of the plain server. */
  plain: Latency
  doubt: string | undefined
}

export type Latency = Quantiles & {
  /** The median of the slices' 99th percentiles: half of them are below. */
  medianP99: number
}

type Parts = { generator: LoadGenerator; app: Asked; plain: PlainServer }
type Plan = Pick<LoadPlan, 'requests' | 'connections'> & {
  /** Of undisturbed slices. */
  seconds: number
  /** Slices tried at most for each that is wanted. */
  attempts: number
}

/** `most` is the product at its maximum rate. */
export async function measureQuietly(
  parts: Parts,
  most: Measured,
  plan: Plan,
): Promise<(load: OpenLoop) => Promise<QuietLoad>> {
  const plain = { ...plan, requests: await asCostly(parts, most) }
  return async (load) => {
    const ours = createSeries(parts.generator, parts.app, { ...plan, load })
    const theirs = createSeries(parts.generator, parts.plain, { ...plain, load })
    for (let i = 0; i < ours.wanted * plan.attempts; i++) {
      if (ours.kept < ours.wanted) await ours.measureSlice()
      if (theirs.kept < ours.wanted) await theirs.measureSlice()
    }
    const { wanted, discarded } = ours
    if (discarded.length > 0)
      console.error(`discarded ${discarded.length} slices: ${discarded.join(', ')}`)
    const kept = Math.min(ours.kept, theirs.kept)
    return {
      latency: ours.latency(),
      plain: theirs.latency(),
      doubt: kept < wanted ? `only ${kept} of ${wanted} slices were undisturbed` : undefined,
    }
  }
}

type Series = {
  readonly wanted: number
  /** Number of undisturbed slices. */
  readonly kept: number
  /** Why each of the others was discarded. */
  readonly discarded: string[]
  measureSlice(): Promise<void>
  /** Of the undisturbed slices, or of all if there were none. */
  latency(): Latency
}

function createSeries(
  generator: LoadGenerator,
  app: Asked,
  { seconds: all, ...plan }: Plan & { load: OpenLoop },
): Series {
  const seconds = Math.min(SLICE_SECONDS, all)
  const [undisturbed, every] = [createSum(), createSum()]
  const discarded: string[] = []
  let kept = 0
  return {
    wanted: Math.round(all / seconds),
    get kept() {
      return kept
    },
    discarded,
    async measureSlice() {
      const others = watchOthers([app.pid, generator.pid])
      const slice = { ...plan, seconds, warmupSeconds: WARM_UP_SECONDS }
      const measured = await measureLoad({ generator, app }, slice)
      const othersMs = others() / (seconds + WARM_UP_SECONDS)
      const disturbed = disturbanceOf({ lateMs: measured.lateness.p99, othersMs })
      every.add(measured)
      if (disturbed !== undefined) return void discarded.push(disturbed)
      undisturbed.add(measured)
      kept++
    },
    latency: () => (kept > 0 ? undisturbed : every).latency(),
  }
}

function createSum() {
  const all = new Histogram()
  const p99s: number[] = []
  return {
    add({ recordings, latency }: Measured): void {
      all.add(recordings)
      p99s.push(latency.p99)
    },
    latency: (): Latency => ({
      ...all.quantiles(),
      medianP99: quantile(
        p99s.toSorted((a, b) => a - b),
        0.5,
      ),
    }),
  }
}

/**
 * `othersMs` is processor time of everything else in a second. `latencyMs` is what was measured, if
 * it is long, and the generator is known to be late because it waits for a core.
 */
export function disturbanceOf({
  lateMs,
  othersMs = 0,
  latencyMs = 0,
}: {
  lateMs: number
  othersMs?: number
  latencyMs?: number
}): string | undefined {
  if (lateMs > Math.max(LATE_MS, latencyMs * LATE_SHARE))
    return `the generator was late by ${lateMs.toFixed(1)} ms`
  if (othersMs > OTHERS_MS) return `others ran for ${othersMs.toFixed(0)} ms/s`
  return undefined
}

/** Requests of the plain server at which its maximum rate is the product's. */
async function asCostly({ generator, plain }: Parts, most: Measured): Promise<Buffer[]> {
  const bytes = most.bodyBytes / most.answered
  const ask = async (rounds: number) => {
    const requests = [getRequest(plainPath({ rounds, bytes }))]
    const closed: Omit<LoadPlan, 'port'> = {
      ...{ requests, connections: 8, warmupSeconds: 0.1, seconds: 0.5 },
      load: { kind: 'closed' },
    }
    return 1000 / (await measureLoad({ generator, app: plain }, closed)).perSecond
  }
  const wantedMs = 1000 / most.perSecond
  let rounds = FIRST_ROUNDS
  await ask(rounds)
  const idleMs = await ask(0)
  for (let i = 0; i < TUNINGS; i++) {
    rounds *= Math.max(0, wantedMs - idleMs) / Math.max((await ask(rounds)) - idleMs, 1e-3)
  }
  return [getRequest(plainPath({ rounds, bytes }))]
}
