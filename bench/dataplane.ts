// What the dataplane interface costs: the nineteen calls of a frontend's getTimeline(50), by gRPC over HTTP/2, sent from a separate
// process (load/dataplane-pages.ts) to a separate Slipstream process on a seeded world. CPU is that of the whole server process. Call
// latency is taken page by page at four fifths of the rate of eight concurrent pages (`call`), and of single calls at random times
// (`random_call`): as many as keep the serving thread busy for four fifths of the time, then fewer, until the generator, which shares
// the two cores, sends them on time. `random_call.busy_share` says how busy the thread was.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { findFreePort } from '../src/http/serve/free-port.ts'
import { quantile } from './runner/quantile.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { disturbanceOf } from './world/quiet-load.ts'
import { type ServedWorld, serveWorld } from './world/serving-world.ts'
import { fullWorld, smallWorld } from './world/social-world.ts'

/** Enough for frequently called code to be compiled. */
const WARM_UP_PAGES = 600
const AT_ONCE = 8
const LOAD = 0.8
/** Of a busy serving thread, from the most to the least. */
const LOADS = [LOAD, 0.7, 0.6, 0.5, 0.4]

type Report = { times: Record<string, number[]>; late: number[] }
type RequestOptions = {
  pages: number
  atOnce?: number
  pauseMs?: number
  isRaw?: boolean
  callsPerSecond?: number
}

export async function bench({ full }: BenchOptions): Promise<BenchResult[]> {
  const port = await findFreePort({ bind: '127.0.0.1', port: 0 })
  const served = await serveWorld(
    full ? fullWorld : smallWorld,
    { DATAPLANE_PORT: String(port) },
    { isSearchable: true },
  )
  const client = fork(join(import.meta.dirname, 'load/dataplane-pages.ts'), {
    env: { ...process.env, BENCH_DATAPLANE_URL: `http://127.0.0.1:${port}` },
  })
  try {
    const pages = full ? 1_000 : 200
    await ask(served, client, { pages: WARM_UP_PAGES, atOnce: AT_ONCE })
    const alone = await ask(served, client, { pages })
    const busy = await ask(served, client, { pages, atOnce: AT_ONCE })
    const raw = { pages: 2 * pages, atOnce: AT_ONCE, isRaw: true }
    const { seconds } = await ask(served, client, raw)
    const pauseMs = (AT_ONCE * seconds * 1_000 * (1 / LOAD - 1)) / raw.pages
    const paced = await ask(served, client, { ...raw, pauseMs })
    const half = { ...raw, callsPerSecond: (LOAD * paced.calls) / seconds / 2 }
    const { servingSeconds, calls } = await ask(served, client, half)
    const random = await askOnTime((load) => {
      return ask(served, client, { ...raw, callsPerSecond: (load * calls) / servingSeconds })
    })
    const doubt = disturbanceOf({ lateMs: random.late(0.99) })
    return [
      ms('dataplane.timeline.cpu_ms', alone.cpuMs),
      ms('dataplane.timeline.busy.cpu_ms', busy.cpuMs),
      ms('dataplane.call.p50_ms', paced.p(0.5)),
      ms('dataplane.call.p99_ms', paced.p(0.99)),
      { ...ms('dataplane.random_call.p50_ms', random.p(0.5)), doubt },
      { ...ms('dataplane.random_call.p99_ms', random.p(0.99)), doubt },
      ms('dataplane.random_call.generator_late_p99_ms', random.late(0.99)),
      { name: 'dataplane.random_call.rps', value: random.calls / random.seconds, unit: 'calls/s' },
      {
        name: 'dataplane.random_call.busy_share',
        value: random.servingSeconds / random.seconds,
        unit: '',
      },
      ...paced.names.map((name) => ms(`dataplane.${name}.p99_ms`, paced.p(0.99, name))),
    ]
  } finally {
    client.disconnect()
    await served.close()
  }
}

type Asks = Awaited<ReturnType<typeof ask>>

/** The run with the most calls that were all sent on time, or the last one if none was. */
async function askOnTime(ask: (load: number) => Promise<Asks>): Promise<Asks> {
  let requestOf = await ask(LOADS[0]!)
  for (const load of LOADS.slice(1)) {
    if (!disturbanceOf({ lateMs: requestOf.late(0.99) })) break
    requestOf = await ask(load)
  }
  return requestOf
}

async function ask(
  { app, world }: ServedWorld,
  client: ChildProcess,
  { pages, atOnce = 1, pauseMs = 0, isRaw = false, callsPerSecond }: RequestOptions,
) {
  const viewers = world.viewers.map(({ did }) => did)
  const [startedAt, cpu] = [performance.now(), app.cpu()]
  client.send({ pages, viewers, atOnce, pauseMs, isRaw, callsPerSecond })
  const [{ times, late }] = (await once(client, 'message')) as [Report]
  const sorted = (some: number[]) => some.toSorted((a, b) => a - b)
  const all = sorted(Object.values(times).flat())
  return {
    calls: all.length,
    names: Object.keys(times).filter((name) => times[name]!.length > 0),
    cpuMs: ((app.cpu().total - cpu.total) * 1_000) / pages,
    servingSeconds: app.cpu().serving - cpu.serving,
    seconds: (performance.now() - startedAt) / 1_000,
    late: (share: number) => quantile(sorted(late), share),
    p(share: number, name?: string) {
      const of = name === undefined ? all : sorted(times[name]!)
      return quantile(of, share)
    },
  }
}

function ms(name: string, value: number): BenchResult {
  return { name, value, unit: 'ms' }
}
