// The graph as a service (/v1/graph) under the load used to compare graph services: follows, followers, membership, and
// intersections of lists. The server is a separate process. Accounts are drawn uniformly, except those asked for followers, which
// are drawn as follows are, so that popular accounts are queried often. `.per_core_s` is per second of the whole process's CPU
// time; `.p99_ms_at_80` is for random arrivals at four fifths of the saturating rate. `.outside.*` is autocannon's measurement of
// the same closed loop, next to ours from the same minute.

import { cliJson } from '../../test/support/cli.ts'
import { createRandom, type Random } from '../../test/support/random.ts'
import { getRequest, type LoadGenerator, startLoadGenerator } from '../load/load-generator.ts'
import { runOutside } from '../load/outside-generator.ts'
import type { BenchOptions, BenchResult } from '../runner/result.ts'
import { powerLawDid } from '../support/power-law.ts'
import { type Measured, measureLoad } from '../world/measure-load.ts'
import { type PlainServer, startPlainServer } from '../world/plain-server.ts'
import { measureQuietly } from '../world/quiet-load.ts'
import { type ServedGraph, serveGraph } from '../world/served-graph.ts'

type Bench = {
  served: ServedGraph
  accounts: number
  generator: LoadGenerator
  plain: PlainServer
  token: string
  seconds: number
  /** Slices tried at most for each of a latency's. */
  attempts: number
}

const CONNECTIONS = 8
const OPEN_CONNECTIONS = 64
const LOAD = 0.8
const REQUESTS = 5_000
const PAIRS = 100
const PREFIX = '/v1/graph'

export async function bench({ full, wants }: BenchOptions): Promise<BenchResult[]> {
  const accounts = full ? 5_500_000 : 100_000
  const served = await serveGraph({ accounts, edges: full ? 160_000_000 : 2_000_000, seed: 7 })
  const [generator, plain] = [startLoadGenerator(), await startPlainServer()]
  try {
    const made = await cliJson<{ token: string }>({ DATA_DIR: served.dataDir }, [
      ...['token', 'create', 'bench', '--rate', '0', '--scope', 'graph:read'],
    ])
    const size = full ? { seconds: 6, attempts: 3 } : { seconds: 1, attempts: 2 }
    const parts = { served, accounts, generator, plain, token: made.token, ...size }
    const results: BenchResult[] = [
      { name: 'graph_api.edges', value: served.edges, unit: 'follows' },
      { name: 'graph_api.rss_mb', value: served.app.resident().total, unit: 'MB' },
    ]
    for (const [name, requests] of Object.entries(requestsOf(parts))) {
      if (wants(`graph_api.${name}`)) results.push(...(await measure(parts, name, requests)))
    }
    if (full && wants('graph_api.outside')) results.push(...(await measureOutside(parts)))
    return results
  } finally {
    generator.stop()
    plain.stop()
    await served.close()
  }
}

/** Requests by the name of the query. */
function requestsOf(parts: Bench): Record<string, Buffer[]> {
  const { token } = parts
  const random = createRandom(5)
  const get = (path: () => string) =>
    Array.from({ length: REQUESTS }, () => getRequest(PREFIX + path(), token))
  const [anyone, known] = [() => anybody(parts, random), () => knownEdge(parts, random)]
  return {
    follows: get(() => `/follows?actor=${anyone()}&limit=100`),
    followers: get(() => `/followers?actor=${known()[1]}&limit=100`),
    contains: Array.from({ length: REQUESTS / 10 }, () => containsRequest(parts, random)),
    intersect_2: get(() => intersection([`follows:${anyone()}`, `followers:${known()[1]}`])),
    intersect_3: get(() =>
      intersection([`follows:${anyone()}`, `followers:${known()[1]}`, `followers:${known()[1]}`]),
    ),
  }
}

function anybody({ accounts }: Bench, random: Random): string {
  return encodeURIComponent(powerLawDid(1 + random.below(accounts)))
}

function knownEdge({ served }: Bench, random: Random): readonly [string, string] {
  return served.known[random.below(served.known.length)]!
}

function intersection(sets: readonly string[]): string {
  return `/intersection?limit=100&${sets.map((set) => `set=${set}`).join('&')}`
}

/** Half of the pairs are follows. */
function containsRequest(parts: Bench, random: Random): Buffer {
  const pairs = Array.from({ length: PAIRS }, (_, i) => {
    const [creator, subject] = knownEdge(parts, random)
    return i % 2 === 0 ? [creator, subject] : [subject, creator]
  })
  const body = JSON.stringify({ pairs })
  const fields = `authorization: Bearer ${parts.token}\r\ncontent-type: application/json\r\n`
  const head = `POST ${PREFIX}/contains HTTP/1.1\r\nhost: localhost\r\n${fields}`
  return Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

async function measure(parts: Bench, name: string, requests: Buffer[]): Promise<BenchResult[]> {
  const most = await closed(parts, requests)
  const perSecond = Math.max(1, Math.floor(most.perSecond * LOAD))
  const { seconds, attempts } = parts
  const plan = { requests, connections: OPEN_CONNECTIONS, seconds, attempts }
  const at = await measureQuietly({ ...parts, app: parts.served.app }, most, plan)
  const busy = await at({ kind: 'open', perSecond, arrivals: 'random' })
  const named = (figure: string, value: number, unit: string) => ({
    name: `graph_api.${name}.${figure}`,
    value,
    unit,
  })
  return [
    named('per_s', most.perSecond, 'requests/s'),
    named('per_core_s', most.perCore, 'requests/s'),
    named('p99_ms', most.latency.p99, 'ms'),
    { ...named('p99_ms_at_80', busy.latency.p99, 'ms'), doubt: busy.doubt },
    { ...named('plain.p99_ms_at_80', busy.plain.p99, 'ms'), doubt: busy.doubt },
    named('body', most.bodyBytes / most.answered, 'B'),
  ]
}

function closed(parts: Bench, requests: Buffer[]): Promise<Measured> {
  return measureLoad(appOf(parts), {
    requests,
    connections: CONNECTIONS,
    warmupSeconds: parts.seconds,
    seconds: parts.seconds,
    load: { kind: 'closed' },
  })
}

const appOf = ({ generator, served }: Bench) => ({ generator, app: served.app })

/** Follows of random accounts, by autocannon and our generator alternately. */
async function measureOutside(parts: Bench): Promise<BenchResult[]> {
  const { served, token, seconds } = parts
  const random = createRandom(6)
  const paths = Array.from(
    { length: 1_000 },
    () => `${PREFIX}/follows?actor=${anybody(parts, random)}&limit=100`,
  )
  const plan = { port: served.app.port, token, paths, connections: CONNECTIONS, seconds }
  const requests = paths.map((path) => getRequest(path, token))
  const ours = await closed(parts, requests)
  const theirs = await runOutside(plan)
  if (!theirs) return []
  if (theirs.refused > 0) throw new Error(`${theirs.refused} answers to autocannon were refused`)
  const name = 'graph_api.outside'
  return [
    { name: `${name}.ours.per_s`, value: ours.perSecond, unit: 'requests/s' },
    { name: `${name}.per_s`, value: theirs.perSecond, unit: 'requests/s' },
    { name: `${name}.ours.p99_ms`, value: ours.latency.p99, unit: 'ms' },
    { name: `${name}.p99_ms`, value: theirs.p99Ms, unit: 'ms' },
  ]
}
