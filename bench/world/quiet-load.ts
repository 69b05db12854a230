// Latencies at a load, as a sceptic would take them: in slices of two seconds, of which one is discarded if the
// load generator was late or anything else used the processors. Between them a plain server, whose answers
// cost as much and are as long, gets the same load: its latencies are those of the machine and the method,
// as long as its thread is as busy as the product's (`busy`).

import { Histogram, type Quantiles } from '../load/histogram.ts'
import type { LoadGenerator } from '../load/load-generator.ts'
import type { LoadPlan, OpenLoop } from '../load/types.ts'
import { quantile } from '../runner/quantile.ts'
import { createAsBusy } from './as-busy.ts'
import { type Measured, type MeasuredServer, measureLoad } from './measure-load.ts'
import { watchOthers } from './other-processes.ts'
import type { PlainServer } from './plain-server.ts'

/** Milliseconds, 99th percentile. Latencies count from when a request is due, so lateness only makes them longer. */
const LATE_MS = 2
/** Of the measured latency, where four busy threads share two cores and the latency is long. */
const LATE_SHARE = 1 / 50
const SLICE_SECONDS = 2
/** Processor time of everything else in a second. */
const OTHERS_MS = 30
const WARM_UP_SECONDS = 0.5

export type QuietLoad = {
  latency: Latency
  /** Of the plain server. */
  plain: Latency
  doubt: string | undefined
}

export type Latency = Quantiles & {
  /** The median of the slices' 99th percentiles: half of them are below. */
  medianP99: number
  /** Share of the time in which the serving thread ran. */
  busy: number
}

type Dependencies = { generator: LoadGenerator; app: MeasuredServer; plain: PlainServer }
type Plan = Pick<LoadPlan, 'requests' | 'connections'> & {
  /** Of undisturbed slices. */
  seconds: number
  /** Slices tried at most for each that is wanted. */
  attempts: number
}

/** `most` is the product at its maximum rate. */
export async function measureQuietly(
  parts: Dependencies,
  most: Measured,
  plan: Plan,
): Promise<(load: OpenLoop) => Promise<QuietLoad>> {
  const asBusy = await createAsBusy(parts, most)
  return async (load) => {
    const ours = createSeries(parts.generator, parts.app, { ...plan, load })
    const theirs = createSeries(parts.generator, parts.plain, { ...plan, load })
    for (let i = 0; i < ours.wanted * plan.attempts; i++) {
      if (ours.kept >= ours.wanted && theirs.kept >= ours.wanted) break
      const measured = await ours.measureSlice(plan.requests)
      asBusy.adjust(measured, await theirs.measureSlice(asBusy.requests()))
    }
    const { wanted, discarded } = ours
    if (discarded.length > 0)
      console.error(`discarded ${discarded.length} slices: ${discarded.join(', ')}`)
    const retained = Math.min(ours.kept, theirs.kept)
    return {
      latency: ours.latency(),
      plain: theirs.latency(),
      doubt:
        retained < wanted ? `only ${retained} of ${wanted} slices were undisturbed` : undefined,
    }
  }
}

type Series = {
  readonly wanted: number
  /** Number of undisturbed slices. */
  readonly kept: number
  /** Why each of the others was discarded. */
  readonly discarded: string[]
  measureSlice(requests: LoadPlan['requests']): Promise<Measured>
  /** Of the undisturbed slices, or of all if there were none. */
  latency(): Latency
}

function createSeries(
  generator: LoadGenerator,
  app: MeasuredServer,
  { seconds: all, connections, load }: Plan & { load: OpenLoop },
): Series {
  const seconds = Math.min(SLICE_SECONDS, all)
  const [undisturbed, every] = [createSum(), createSum()]
  const discarded: string[] = []
  let retained = 0
  return {
    wanted: Math.round(all / seconds),
    get kept() {
      return retained
    },
    discarded,
    async measureSlice(requests) {
      const others = watchOthers([app.pid, generator.pid])
      const slice = { requests, connections, load, seconds, warmupSeconds: WARM_UP_SECONDS }
      const measured = await measureLoad({ generator, app }, slice)
      const othersMs = others() / (seconds + WARM_UP_SECONDS)
      const disturbed = disturbanceOf({ lateMs: measured.lateness.p99, othersMs })
      every.add(measured)
      if (disturbed !== undefined) discarded.push(disturbed)
      else {
        undisturbed.add(measured)
        retained++
      }
      return measured
    },
    latency: () => (retained > 0 ? undisturbed : every).latency(),
  }
}

function createSum() {
  const all = new Histogram()
  const p99s: number[] = []
  const busy: number[] = []
  return {
    add({ recordings, latency, servingCpuMs, perSecond }: Measured): void {
      all.add(recordings)
      p99s.push(latency.p99)
      busy.push((servingCpuMs * perSecond) / 1000)
    },
    latency: (): Latency => ({
      ...all.quantiles(),
      medianP99: quantile(
        p99s.toSorted((a, b) => a - b),
        0.5,
      ),
      busy: busy.reduce((sum, value) => sum + value, 0) / busy.length,
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
