// What answers cost over HTTP in an operator's setup: Slipstream in its own process on a seeded world of real
// rows, a load generator in another, and service JWTs of many viewers signed beforehand. CPU is that of the
// whole server process, from the scheduler, during the load.

import { createRandom } from '../test/support/random.ts'
import { getRequest, type LoadGenerator, startLoadGenerator } from './load/load-generator.ts'
import type { OpenLoop } from './load/types.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { type Measured, measureLoad } from './world/measure-load.ts'
import { type PlainServer, startPlainServer } from './world/plain-server.ts'
import { disturbanceOf, measureQuietly, type QuietLoad } from './world/quiet-load.ts'
import { makeReady } from './world/ready-events.ts'
import { receivedEvents } from './world/running-app.ts'
import { type ServedWorld, serveWorld } from './world/serving-world.ts'
import { fullWorld, smallWorld, type Viewer } from './world/social-world.ts'
import { streamBeside } from './world/stream-beside.ts'

const TIMELINE = 'app.bsky.feed.getTimeline'
const KNOWN = 'app.bsky.graph.getKnownFollowers'
const PROOF = 'io.slipstream.graph.getSocialProof'
/** Share of the rate that saturates the server. */
const LOAD = 0.8
const CONNECTIONS = 8
const OPEN_CONNECTIONS = 64
const COMPILE_ROUNDS = 20

type Bench = {
  served: ServedWorld
  generator: LoadGenerator
  plain: PlainServer
  wants: BenchOptions['wants']
  seconds: number
  warmupSeconds: number
  /** Slices tried at most for each of a latency's. */
  attempts: number
  /** Load applied before a method is measured, so that its code is compiled. */
  compileSeconds: number
  /** More tokens than the server's cache of verified ones holds. */
  tokens: number
  streamEvents: number
}

/**
 * `getTimeline`: viewers with 20 quiet follows, 100, 1,000 and 5,000, in equal parts. `p99_ms` is
 * at 80% of the saturating load, with requests starting at even intervals and latency counted from
 * the start; `….random.p99_ms` is the same with random arrivals (Poisson), which queue more;
 * `….plain.p99_ms` is a plain server's at that load, and `….median_p99_ms` the median of the p99 of
 * slices of 2 s (bench/world/quiet-load.ts);
 * `….beside_ingest` is while the ingest thread catches up with a stream at full speed, and
 * `….beside_ingest_25` is that at 25% of the saturating load.
 *
 * `getKnownFollowers` and `socialProof` (io.slipstream.graph.getSocialProof, one subject): random
 * viewers × the 500 most followed accounts. Each request of the app's methods has its own token, as
 * a PDS mints them. Social proof is requested as a backend does, reusing one token per viewer, and
 * once more with new tokens (`….new_tokens`).
 */
export async function bench({ full, wants }: BenchOptions): Promise<BenchResult[]> {
  const served = await serveWorld(full ? fullWorld : smallWorld, {}, { isSearchable: true })
  const [generator, plain] = [startLoadGenerator(), await startPlainServer()]
  const size = full
    ? {
        seconds: 20,
        warmupSeconds: 1,
        attempts: 3,
        compileSeconds: 8,
        tokens: 4_000,
        streamEvents: 250_000,
      }
    : {
        seconds: 0.8,
        warmupSeconds: 0.2,
        attempts: 2,
        compileSeconds: 2.5,
        tokens: 2_400,
        streamEvents: 20_000,
      }
  const parts = { served, generator, plain, wants, ...size }
  try {
    const results: BenchResult[] = []
    if (wants('getTimeline')) results.push(...(await benchTimeline(parts)))
    if (wants('getKnownFollowers')) results.push(...(await benchKnownFollowers(parts)))
    if (wants('socialProof')) results.push(...(await benchSocialProof(parts)))
    return results
  } finally {
    generator.stop()
    plain.stop()
    await served.close()
  }
}

async function benchTimeline(parts: Bench): Promise<BenchResult[]> {
  const { viewers } = parts.served.world
  const results: BenchResult[] = []
  await compile(parts, timelineRequests(parts, viewers))
  for (const kind of [...new Set(viewers.map((viewer) => viewer.kind))]) {
    const requests = timelineRequests(
      parts,
      viewers.filter((viewer) => viewer.kind === kind),
    )
    const measured = await closed(parts, requests, 1)
    results.push(
      ms(`getTimeline.served.${kind}.cpu_ms`, measured.cpuMs),
      ms(`getTimeline.served.${kind}.p50_ms`, measured.latency.p50),
    )
  }
  const requests = timelineRequests(parts, viewers)
  const saturated = await closed(parts, requests, CONNECTIONS)
  const at80 = await busy(parts, requests, saturated)
  const [even, random] = [await at80('even'), await at80('random')]
  results.push(
    ms('getTimeline.cpu_ms', saturated.cpuMs),
    ms('getTimeline.serving_thread_cpu_ms', saturated.servingCpuMs),
    { name: 'getTimeline.rps', value: saturated.perSecond, unit: 'requests/s' },
    { name: 'getTimeline.body', value: saturated.bodyBytes / saturated.answered, unit: 'B' },
    ms('getTimeline.p50_ms', even.latency.p50, even.doubt),
    ms('getTimeline.random.p50_ms', random.latency.p50, random.doubt),
    ...besidePlain('getTimeline', even),
    ...besidePlain('getTimeline.random', random),
  )
  if (parts.wants('getTimeline.beside_ingest')) {
    const loads = { beside_ingest_25: 0.25, beside_ingest: LOAD }
    for (const [name, share] of Object.entries(loads)) {
      const load = { name, perSecond: saturated.perSecond * share }
      results.push(...(await benchBesideIngest(parts, requests, load)))
    }
  }
  return results
}

/** The stream starts at full speed when the measured time begins. */
async function benchBesideIngest(
  parts: Bench,
  requests: Buffer[],
  { name, perSecond }: { name: string; perSecond: number },
): Promise<BenchResult[]> {
  const { double, app, world } = parts.served
  const pour = makeReady(double, streamBeside(world, parts.streamEvents))
  const receivedBefore = await receivedEvents(parts.served.app)
  let ended: Promise<number> | undefined
  const load = { perSecond, arrivals: 'even' } as const
  const loaded = await measureWhile(parts, requests, load, () => {
    pour()
    ended = caughtUp(parts, receivedBefore + parts.streamEvents)
  })
  const doubt = disturbanceOf({ lateMs: loaded.lateness.p99, latencyMs: loaded.latency.p99 })
  const seconds = await ended!
  double.behaviour.stalled = false
  return [
    ms(`getTimeline.${name}.p99_ms`, loaded.latency.p99, doubt),
    ms(`getTimeline.${name}.p50_ms`, loaded.latency.p50, doubt),
    ms(`getTimeline.${name}.serving_thread_cpu_ms`, loaded.servingCpuMs),
    {
      name: `getTimeline.${name}.events_per_s`,
      value: parts.streamEvents / seconds,
      unit: 'events/s',
    },
    { name: `getTimeline.${name}.rss`, value: app.resident().total, unit: 'MB' },
  ]
}

/** Seconds until the server has ingested this many events, to a tenth. */
async function caughtUp(parts: Bench, count: number): Promise<number> {
  const startedAt = performance.now()
  while ((await receivedEvents(parts.served.app)) < count)
    await new Promise((resolve) => setTimeout(resolve, 100))
  return (performance.now() - startedAt) / 1000
}

async function benchKnownFollowers(parts: Bench): Promise<BenchResult[]> {
  const requests = subjectRequests(parts, KNOWN, (did) => `actor=${did}&limit=50`)
  await compile(parts, requests)
  const single = await closed(parts, requests, 1)
  const many = await closed(parts, requests, CONNECTIONS)
  const even = await (await busy(parts, requests, many))('even')
  return [
    ms('getKnownFollowers.cpu_ms', many.cpuMs),
    ms('getKnownFollowers.serving_thread_cpu_ms', many.servingCpuMs),
    { name: 'getKnownFollowers.rps', value: many.perSecond, unit: 'requests/s' },
    { name: 'getKnownFollowers.body', value: many.bodyBytes / many.answered, unit: 'B' },
    ms('getKnownFollowers.p50_ms', single.latency.p50),
    ...besidePlain('getKnownFollowers', even),
  ]
}

async function benchSocialProof(parts: Bench): Promise<BenchResult[]> {
  const count = (did: string) => `subjects=${did}&followers=0`
  const token = tokenOfEach(parts, PROOF)
  const counts = subjectRequests(parts, PROOF, count, token)
  const faces = subjectRequests(parts, PROOF, (did) => `subjects=${did}&followers=5`, token)
  await compile(parts, faces)
  await compile(parts, counts)
  const many = await closed(parts, counts, CONNECTIONS)
  const withFaces = await closed(parts, faces, CONNECTIONS)
  const newTokens = await closed(parts, subjectRequests(parts, PROOF, count), CONNECTIONS)
  const at80 = await busy(parts, counts, many)
  const [even, random] = [await at80('even'), await at80('random')]
  return [
    { name: 'socialProof.rps_per_core', value: many.perCore, unit: 'requests/s' },
    { name: 'socialProof.rps', value: many.perSecond, unit: 'requests/s' },
    { name: 'socialProof.new_tokens.rps_per_core', value: newTokens.perCore, unit: 'requests/s' },
    ms('socialProof.cpu_ms', many.cpuMs),
    ms('socialProof.p50_ms', even.latency.p50, even.doubt),
    ...besidePlain('socialProof', even),
    ...besidePlain('socialProof.random', random),
    ms('socialProof.five_faces.cpu_ms', withFaces.cpuMs),
    { name: 'socialProof.five_faces.rps_per_core', value: withFaces.perCore, unit: 'requests/s' },
  ]
}

/**
 * Repeats until all requests are answered: a machine that starts slowly answers none at first, or
 * refuses requests that would wait too long.
 */
async function compile(parts: Bench, requests: Buffer[]): Promise<void> {
  const { served, generator, warmupSeconds, compileSeconds: seconds } = parts
  const plan = { port: served.app.port, requests, connections: CONNECTIONS, seconds, warmupSeconds }
  let refusal: string | undefined
  for (let round = 0; round < COMPILE_ROUNDS; round++) {
    const report = await generator.run({ ...plan, load: { kind: 'closed' } })
    if (report.answered > 0 && report.refused === 0) return
    refusal = report.firstRefusal
  }
  throw new Error(`the server did not become ready: ${refusal ?? 'no answer'}`)
}

function closed(parts: Bench, requests: Buffer[], connections: number): Promise<Measured> {
  const { seconds, warmupSeconds, served, generator } = parts
  const plan = { requests, connections, seconds, warmupSeconds, load: { kind: 'closed' } as const }
  return measureLoad({ generator, app: served.app }, plan)
}

/** Latencies at 80% of the maximum rate, in undisturbed slices. */
async function busy(parts: Bench, requests: Buffer[], most: Measured) {
  const { seconds, attempts, served } = parts
  const plan = { requests, connections: OPEN_CONNECTIONS, seconds, attempts }
  const at = await measureQuietly({ ...parts, app: served.app }, most, plan)
  const perSecond = most.perSecond * LOAD
  return (arrivals: OpenLoop['arrivals']) => at({ kind: 'open', perSecond, arrivals })
}

/** `busy` is the share of the time in which the serving thread ran. */
function besidePlain(name: string, { latency, plain, doubt }: QuietLoad): BenchResult[] {
  return [
    ms(`${name}.p99_ms`, latency.p99, doubt),
    ms(`${name}.median_p99_ms`, latency.medianP99, doubt),
    { name: `${name}.busy`, value: latency.busy, unit: 'of 1', doubt },
    ms(`${name}.plain.p99_ms`, plain.p99, doubt),
    ms(`${name}.plain.median_p99_ms`, plain.medianP99, doubt),
    { name: `${name}.plain.busy`, value: plain.busy, unit: 'of 1', doubt },
  ]
}

function measureWhile(
  parts: Bench,
  requests: Buffer[],
  load: Pick<OpenLoop, 'perSecond' | 'arrivals'>,
  onMeasuring: () => void,
): Promise<Measured> {
  const { seconds, warmupSeconds, served, generator } = parts
  return measureLoad(
    { generator, app: served.app },
    {
      requests,
      connections: OPEN_CONNECTIONS,
      seconds,
      warmupSeconds,
      load: { kind: 'open', ...load },
    },
    onMeasuring,
  )
}

/** All viewers in rotation, each with their own tokens. */
function timelineRequests({ served, tokens }: Bench, viewers: Viewer[]): Buffer[] {
  const rounds = Math.ceil(tokens / viewers.length)
  return Array.from({ length: rounds }, () => viewers)
    .flat()
    .map((viewer) => getRequest(`/xrpc/${TIMELINE}?limit=50`, served.token(viewer, TIMELINE)))
}

function subjectRequests(
  { served, tokens }: Bench,
  nsid: string,
  query: (did: string) => string,
  token = (viewer: Viewer) => served.token(viewer, nsid),
): Buffer[] {
  const random = createRandom(5)
  const { viewers, popular } = served.world
  return Array.from({ length: tokens }, () => {
    const viewer = random.pick(viewers)
    return getRequest(`/xrpc/${nsid}?${query(random.pick(popular))}`, token(viewer))
  })
}

function tokenOfEach({ served }: Bench, nsid: string): (viewer: Viewer) => string {
  const tokens = new Map(served.world.viewers.map((viewer) => [viewer, served.token(viewer, nsid)]))
  return (viewer) => tokens.get(viewer)!
}

function ms(name: string, value: number, doubt?: string): BenchResult {
  return { name, value, unit: 'ms', doubt }
}
