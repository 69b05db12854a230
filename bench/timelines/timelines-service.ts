// The timelines service in a separate process over real sockets: pages at the maximum rate and at 80 % of it,
// posts, and waiting readers. CPU is that of the whole process; clients are other processes, or the readers
// here. A viewer's pages are the newest and the oldest, which many clients request; `anywhere` begins at
// random numbers not requested before. `p99_ms_at_80` is with random arrivals (Poisson), which queue more
// than the even ones of `even_p99_ms_at_80`.

import { connect, type Socket } from 'node:net'
import { cliJson } from '../../test/support/cli.ts'
import { createRandom } from '../../test/support/random.ts'
import { Histogram } from '../load/histogram.ts'
import { getRequest, type LoadGenerator, startLoadGenerator } from '../load/load-generator.ts'
import type { LoadPlan } from '../load/types.ts'
import type { BenchOptions, BenchResult } from '../runner/result.ts'
import { type Measured, measureLoad } from '../world/measure-load.ts'
import { type PlainServer, startPlainServer } from '../world/plain-server.ts'
import { measureQuietly } from '../world/quiet-load.ts'
import { type ServedWorld, serveWorld } from '../world/serving-world.ts'
import { fullWorld, smallWorld, type ViewerKind } from '../world/social-world.ts'

const CONNECTIONS = 8
const OPEN_CONNECTIONS = 64
const POSITIONS = 2_000
const POPULAR_MEMBERS = 20
/** Of arrivals; every world has more. */
const FIRST_NUMBERS = 25_000
const LOAD = 0.8
const KINDS: ViewerKind[] = ['quiet_20', 'follows_100', 'follows_1000', 'follows_5000']
const ROUNDS = 20
const HEADERS_END = '\r\n\r\n'

type Bench = {
  served: ServedWorld
  generator: LoadGenerator
  token: string
  plain: PlainServer
  seconds: number
  /** How long, and how patiently, latencies are taken. */
  quiet: { seconds: number; attempts: number }
  /** Load applied before anything is measured, so that code is compiled. */
  compileSeconds: number
}

export async function bench({ full, wants }: BenchOptions): Promise<BenchResult[]> {
  // All clients share one address, and count as strangers instead of our own proxy.
  const settings = { TRUSTED_PROXIES: 'none' }
  const more = { isSearchable: true, popularMembers: POPULAR_MEMBERS }
  const served = await serveWorld(full ? fullWorld : smallWorld, settings, more)
  const [generator, plain] = [startLoadGenerator(), await startPlainServer()]
  try {
    const env = { DATA_DIR: served.dataDir }
    const scopes = ['--rate', '0', '--scope', 'read:*', 'post:custom:*']
    const made = await cliJson<{ token: string }>(env, ['token', 'create', 'bench', ...scopes])
    const times = full
      ? { seconds: 6, quiet: { seconds: 20, attempts: 3 }, compileSeconds: 8 }
      : { seconds: 2, quiet: { seconds: 1, attempts: 2 }, compileSeconds: 2.5 }
    const parts = { served, generator, plain, token: made.token, ...times }
    return [
      ...(wants('timelines_service.page') ? await measurePages(parts) : []),
      ...(wants('timelines_service.post') ? await measurePosts(parts) : []),
      ...(wants('timelines_service.wait') ? await measureWaiting(parts, full ? 10_000 : 500) : []),
    ]
  } finally {
    generator.stop()
    plain.stop()
    await served.close()
  }
}

function pathOf(key: string, what: string): string {
  return `/v1/timelines/${encodeURIComponent(key)}/${what}`
}

/** The maximum rate, and the latency at four fifths of it. */
async function measurePages(parts: Bench): Promise<BenchResult[]> {
  const results: BenchResult[] = []
  const all = Object.entries(pageRequests(parts))
  const { compileSeconds: seconds } = parts
  await run(
    { ...parts, seconds },
    all.flatMap(([, requests]) => requests),
    { kind: 'closed' },
  )
  for (const [kind, requests] of all) {
    const most = await run(parts, requests, { kind: 'closed' })
    const perSecond = Math.max(1, Math.floor(most.perSecond * LOAD))
    const plan = { ...parts.quiet, requests, connections: OPEN_CONNECTIONS }
    const at = await measureQuietly({ ...parts, app: parts.served.app }, most, plan)
    const even = await at({ kind: 'open', perSecond, arrivals: 'even' })
    const random = await at({ kind: 'open', perSecond, arrivals: 'random' })
    const name = `timelines_service.page.${kind}`
    const ms = (figure: string, value: number, doubt?: string) => {
      return { name: `${name}.${figure}`, value, unit: 'ms', doubt }
    }
    results.push(
      { name: `${name}.per_s`, value: most.perSecond, unit: '/s' },
      ms('cpu_ms', most.cpuMs),
      ms('serving_thread_cpu_ms', most.servingCpuMs),
      ms('even_p99_ms_at_80', even.latency.p99, even.doubt),
      ms('p50_ms_at_80', random.latency.p50, random.doubt),
      ms('p99_ms_at_80', random.latency.p99, random.doubt),
      ms('median_p99_ms_at_80', random.latency.medianP99, random.doubt),
      ms('plain.median_p99_ms_at_80', random.plain.medianP99, random.doubt),
      ms('plain.even_p99_ms_at_80', even.plain.p99, even.doubt),
      ms('plain.p99_ms_at_80', random.plain.p99, random.doubt),
    )
  }
  return results
}

function pageRequests({ served, token }: Bench): Record<string, Buffer[]> {
  const { viewers } = served.world
  const page = (key: string, query: string) => getRequest(pathOf(key, `events?${query}`), token)
  const bothEnds = (key: string) => [page(key, 'limit=25'), page(key, 'limit=25&direction=forward')]
  const followed = KINDS.map((kind) => {
    const those = viewers.filter((viewer) => viewer.kind === kind)
    return [kind, those.flatMap(({ did }) => bothEnds(`following:${did}`))] as const
  })
  const popular = served.world.popular.slice(0, POPULAR_MEMBERS)
  const [first, second] = popular
  const merges = viewers
    .filter(({ kind }) => kind === 'follows_1000')
    .flatMap(({ did }) => bothEnds(`following:${did}+author:${first}+notifications:${second}`))
  const random = createRandom(7)
  const anywhere = Array.from({ length: POSITIONS }, () => {
    const { did } = random.pick(viewers.filter(({ follows }) => follows >= 1_000))
    return page(`following:${did}`, `limit=25&since=${1 + random.below(FIRST_NUMBERS)}`)
  })
  return {
    ...Object.fromEntries(followed),
    anywhere,
    author: popular.flatMap((did) => bothEnds(`author:${did}`)),
    notifications: popular.flatMap((did) => bothEnds(`notifications:${did}`)),
    merge: merges,
  }
}

async function measurePosts(parts: Bench): Promise<BenchResult[]> {
  const body = (i: number) =>
    JSON.stringify({
      entity_id: `at://did:plc:bench/app.bsky.feed.post/${i}`,
      entity_type: 'post',
      payload: { text: 'x'.repeat(200), i },
      producer_ts: new Date().toISOString(),
    })
  const requests = Array.from({ length: 1_000 }, (_, i) => postRequest(parts, body(i)))
  const { compileSeconds: seconds } = parts
  await run({ ...parts, seconds }, requests, { kind: 'closed' }, OPEN_CONNECTIONS)
  const measured = await run(parts, requests, { kind: 'closed' }, OPEN_CONNECTIONS)
  const name = 'timelines_service.post'
  return [
    { name: `${name}.per_s`, value: measured.perSecond, unit: '/s' },
    { name: `${name}.per_cpu_s`, value: measured.perCore, unit: '/s' },
    { name: `${name}.serving_thread_cpu_ms`, value: measured.servingCpuMs, unit: 'ms' },
    { name: `${name}.p99_ms`, value: measured.latency.p99, unit: 'ms' },
  ]
}

function postRequest({ token }: Bench, body: string): Buffer {
  const head = `POST ${pathOf('custom:bench', 'events')} HTTP/1.1\r\nhost: localhost\r\n`
  const fields = `authorization: Bearer ${token}\r\ncontent-type: application/json\r\n`
  return Buffer.from(
    `${head}${fields}content-length: ${Buffer.byteLength(body)}${HEADERS_END}${body}`,
  )
}

function run(
  { generator, served, seconds }: Bench,
  requests: Buffer[],
  load: LoadPlan['load'],
  connections = CONNECTIONS,
): Promise<Measured> {
  const plan = { requests, connections, warmupSeconds: seconds / 2, seconds, load }
  return measureLoad({ generator, app: served.app }, plan)
}

/**
 * `count` readers of one timeline: their cost while it is idle, and the time until the last one has
 * a new entry.
 */
async function measureWaiting(parts: Bench, count: number): Promise<BenchResult[]> {
  const { app } = parts.served
  await postOnce(parts)
  const before = app.resident().anonymous
  const readers = await openReaders(parts, count)
  const megabytes = app.resident().anonymous - before
  const cpuBefore = app.cpu().total
  const idleFrom = performance.now()
  await new Promise((resolve) => setTimeout(resolve, parts.seconds * 1000))
  const idleShare = (app.cpu().total - cpuBefore) / ((performance.now() - idleFrom) / 1000)
  const deliveries = new Histogram()
  const times: number[] = []
  const cpuFrom = app.cpu().total
  for (let i = 0; i < ROUNDS; i++) {
    const all = readers.next(deliveries)
    await postOnce(parts)
    times.push(await all)
  }
  const cpuMs = ((app.cpu().total - cpuFrom) * 1000) / ROUNDS
  readers.close()
  times.sort((a, b) => a - b)
  const name = `timelines_service.wait.${count}`
  const { p50, p99 } = deliveries.quantiles()
  return [
    { name: `${name}.all_have_it_ms`, value: times[times.length >> 1]!, unit: 'ms' },
    { name: `${name}.delivery_p50_ms`, value: p50, unit: 'ms' },
    { name: `${name}.delivery_p99_ms`, value: p99, unit: 'ms' },
    { name: `${name}.cpu_ms_an_event`, value: cpuMs, unit: 'ms' },
    { name: `${name}.kb_each`, value: (megabytes * 1024) / count, unit: 'KB' },
    { name: `${name}.idle_cpu`, value: idleShare * 100, unit: '%' },
  ]
}

async function postOnce({ served, token }: Bench): Promise<void> {
  const answer = await fetch(
    `http://127.0.0.1:${served.app.port}${pathOf('custom:wait', 'events')}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        entity_id: 'x',
        entity_type: 'x',
        payload: {},
        producer_ts: new Date().toISOString(),
      }),
    },
  )
  if (!answer.ok) throw new Error(`a post was answered with ${answer.status}`)
}

async function openReaders({ served, token }: Bench, count: number) {
  const request = getRequest(pathOf('custom:wait', 'stream'), token)
  const sockets: Socket[] = []
  let heard = 0
  let hearOne = () => {}
  const hear = (text: string) => {
    for (let events = text.split('\ndata: ').length - 1; events > 0; events--) hearOne()
  }
  for (let i = 0; i < count; i++) {
    const socket = connect(served.app.port, '127.0.0.1').setEncoding('utf8')
    sockets.push(socket)
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.once('data', (head: string) => {
        if (head.startsWith('HTTP/1.1 200')) resolve()
        else reject(new Error(head.slice(0, 200)))
      })
      socket.write(request)
    })
    socket.on('data', hear)
  }
  return {
    /**
     * Resolves when every reader has one more entry, with the last one's wait in milliseconds from
     * the call.
     */
    next(deliveries: Histogram): Promise<number> {
      const startedAt = performance.now()
      heard = 0
      return new Promise((resolve) => {
        hearOne = () => {
          const ms = performance.now() - startedAt
          deliveries.record(ms * 1000)
          if (++heard === count) resolve(ms)
        }
      })
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}
