// The timelines service in a process of its own, over real sockets: pages at their fastest and at 80 % of that, posts,
// and readers who wait. CPU is that of the whole process; clients are other processes, or the readers here.

import { connect, type Socket } from 'node:net'
import { cliJson } from '../test/support/cli.ts'
import { Histogram } from './load/histogram.ts'
import { getRequest, type LoadGenerator, startLoadGenerator } from './load/load-generator.ts'
import type { LoadPlan, LoadReport } from './load/types.ts'
import type { BenchOptions, BenchResult } from './result.ts'
import { type ServedWorld, serveWorld } from './world/serving-world.ts'
import { fullWorld, smallWorld, type ViewerKind } from './world/social-world.ts'

const CONNECTIONS = 8
const LOAD = 0.8
const KINDS: ViewerKind[] = ['quiet_20', 'follows_100', 'follows_1000', 'follows_5000']
const ROUNDS = 20
const HEADERS_END = '\r\n\r\n'

type Bench = { served: ServedWorld; generator: LoadGenerator; token: string; seconds: number }

export async function bench({ full, wants }: BenchOptions): Promise<BenchResult[]> {
  // All clients are one address, as strangers are, not a proxy of ours.
  const served = await serveWorld(full ? fullWorld : smallWorld, { TRUSTED_PROXIES: 'none' })
  const generator = startLoadGenerator()
  try {
    const settings = { DATA_DIR: served.dataDir }
    const scopes = ['--rate', '0', '--scope', 'read:*', 'post:custom:*']
    const made = await cliJson<{ token: string }>(settings, ['token', 'create', 'bench', ...scopes])
    const parts = { served, generator, token: made.token, seconds: full ? 8 : 2 }
    return [
      ...(wants('timelines_service.page') ? await measurePages(parts) : []),
      ...(wants('timelines_service.post') ? await measurePosts(parts) : []),
      ...(wants('timelines_service.wait') ? await measureWaiting(parts, full ? 10_000 : 500) : []),
    ]
  } finally {
    generator.stop()
    await served.close()
  }
}

function pathOf(key: string, what: string): string {
  return `/v1/timelines/${encodeURIComponent(key)}/${what}`
}

/** How fast it goes, and what it feels like at four fifths of that. */
async function measurePages(parts: Bench): Promise<BenchResult[]> {
  const results: BenchResult[] = []
  for (const kind of KINDS) {
    const viewers = parts.served.world.viewers.filter((one) => one.kind === kind)
    if (viewers.length === 0) continue
    const requests = viewers.flatMap(({ did }) => [
      getRequest(pathOf(`following:${did}`, 'events?limit=25'), parts.token),
      getRequest(pathOf(`following:${did}`, 'events?limit=25&direction=forward'), parts.token),
    ])
    const before = parts.served.app.cpu().total
    const most = await run(parts, requests, { kind: 'closed' })
    const cpu = parts.served.app.cpu().total - before
    const perSecond = Math.max(1, Math.floor(most.perSecond * LOAD))
    const busy = await run(parts, requests, { kind: 'open', perSecond, arrivals: 'random' })
    const name = `timelines_service.page.${kind}`
    results.push(
      { name: `${name}.per_s`, value: most.perSecond, unit: '/s' },
      { name: `${name}.cpu_ms`, value: (cpu * 1000) / (most.answered * 1.5), unit: 'ms' },
      { name: `${name}.p99_ms_at_80`, value: busy.latency.p99, unit: 'ms' },
    )
  }
  return results
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
  const before = parts.served.app.cpu().total
  const { perSecond, answered } = await run(parts, requests, { kind: 'closed' }, 64)
  const cpu = parts.served.app.cpu().total - before
  return [
    { name: 'timelines_service.post.per_s', value: perSecond, unit: '/s' },
    // The warm-up, half as long again, is part of the processor's time.
    { name: 'timelines_service.post.per_cpu_s', value: (answered * 1.5) / cpu, unit: '/s' },
  ]
}

function postRequest({ token }: Bench, body: string): Buffer {
  const head = `POST ${pathOf('custom:bench', 'events')} HTTP/1.1\r\nhost: localhost\r\n`
  const fields = `authorization: Bearer ${token}\r\ncontent-type: application/json\r\n`
  return Buffer.from(
    `${head}${fields}content-length: ${Buffer.byteLength(body)}${HEADERS_END}${body}`,
  )
}

async function run(
  { generator, served, seconds }: Bench,
  requests: Buffer[],
  load: LoadPlan['load'],
  connections = CONNECTIONS,
): Promise<LoadReport> {
  const { port } = served.app
  const plan = { port, requests, connections, warmupSeconds: seconds / 2, seconds, load }
  const report = await generator.run(plan)
  if (report.refused > 0) throw new Error(`${report.refused} answers like ${report.firstRefusal}`)
  return report
}

/** So many readers of one timeline: what they cost while nothing comes, and until the last has what came. */
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
        ...{ entity_id: 'x', entity_type: 'x', payload: {} },
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
    /** Resolves when each has one more, with the milliseconds that the last of them waited from now on. */
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
