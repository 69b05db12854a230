// Compares the cost of answers in this tree and in another. Both serve a world of the same size at the same
// time, and one load generator queries them in the order A, B, B, A for one second each. A machine whose
// speed varies by a factor of two can then neither fake a difference nor hide one. With `--load`, both then get
// the same requests per second, a share of what the slower one can answer, for two seconds each.

import { join } from 'node:path'
import { createRandom } from '../../test/support/random.ts'
import { getRequest, startLoadGenerator } from '../load/load-generator.ts'
import type { LoadPlan } from '../load/types.ts'
import { type Measured, measureLoad } from '../world/measure-load.ts'
import type { ServedWorld } from '../world/serving-world.ts'
import type { WorldSize } from '../world/social-world.ts'
import { inTurns, median, reportRatio } from './in-turns.ts'
import { readTrees } from './read-trees.ts'

const CONNECTIONS = 8
const COMPILE_SECONDS = 3
const OPEN_CONNECTIONS = 64
const ROUND_SECONDS = 1
const LOADED_SECONDS = 2
const TOKENS = 2_400
const TIMELINE = 'app.bsky.feed.getTimeline'
const COSTS = {
  cpu_ms: (of: Measured) => of.cpuMs,
  serving_thread_cpu_ms: (of: Measured) => of.servingCpuMs,
  rps: (of: Measured) => of.perSecond,
}
const LATENCIES = {
  p50_ms: (of: Measured) => of.latency.p50,
  p99_ms: (of: Measured) => of.latency.p99,
}

const USAGE =
  'node bench/compare/serving.ts OTHER_TREE [--rounds 8] [--load 0.8] [--only getTimeline] [--full]'
const { values, trees } = readTrees(USAGE, {
  rounds: { type: 'string', default: '8' },
  load: { type: 'string' },
  only: { type: 'string', default: '' },
  full: { type: 'boolean', default: false },
})

const rounds = Number(values.rounds)
const generator = startLoadGenerator()
const worlds = [await serve(trees[0]), await serve(trees[1])] as const
try {
  for (const [method, requests] of Object.entries(methods())) {
    if (!method.startsWith(values.only)) continue
    const requested = worlds.map(requests)
    const measure = (i: number, plan: Pick<LoadPlan, 'connections' | 'seconds' | 'load'>) =>
      measureLoad(
        { generator, app: worlds[i]!.app },
        { requests: requested[i]!, warmupSeconds: 0.2, ...plan },
      )
    const closed = { connections: CONNECTIONS, load: { kind: 'closed' } } as const
    for (const i of [0, 1]) await measure(i, { ...closed, seconds: COMPILE_SECONDS })
    const pairs = await inTurns(rounds, (i) => measure(i, { ...closed, seconds: ROUND_SECONDS }))
    report(method, pairs, COSTS)
    if (values.load === undefined) continue
    const most = Math.min(...[0, 1].map((i) => median(pairs.map((pair) => pair[i]!.perSecond))))
    for (const arrivals of ['even', 'random'] as const) {
      const load = { kind: 'open', perSecond: most * Number(values.load), arrivals } as const
      const open = { connections: OPEN_CONNECTIONS, load, seconds: LOADED_SECONDS }
      const loaded = await inTurns(rounds, (i) => measure(i, open))
      report(`${method}.${arrivals}`, loaded, LATENCIES)
    }
  }
} finally {
  generator.stop()
  for (const world of worlds) await world.close()
}

async function serve(tree: string): Promise<ServedWorld> {
  const { serveWorld } = await import(join(tree, 'bench/world/serving-world.ts'))
  const { fullWorld, smallWorld } = await import(join(tree, 'bench/world/social-world.ts'))
  const size: WorldSize = values.full ? fullWorld : smallWorld
  return serveWorld(size)
}

function methods(): Record<string, (served: ServedWorld) => Buffer[]> {
  const KNOWN = 'app.bsky.graph.getKnownFollowers'
  const PROOF = 'io.slipstream.graph.getSocialProof'
  return {
    getTimeline: (served) => ofEachViewer(served, 'limit=50'),
    getTimelinePoll: (served) => ofEachViewer(served, 'limit=1'),
    getTimelineZstd: (served) => ofEachViewer(served, 'limit=50', 'zstd'),
    getKnownFollowers: (served) => aboutPopular(served, KNOWN, (did) => `actor=${did}&limit=50`),
    socialProof: (served) => aboutPopular(served, PROOF, (did) => `subjects=${did}&followers=0`),
  }
}

/** The same first pages again and again, each with a token of its own. */
function ofEachViewer(served: ServedWorld, query: string, encoding?: string): Buffer[] {
  const { viewers } = served.world
  return Array.from({ length: TOKENS }, (_, i) => {
    const token = served.token(viewers[i % viewers.length]!, TIMELINE)
    return getRequest(`/xrpc/${TIMELINE}?${query}`, token, encoding)
  })
}

function aboutPopular(served: ServedWorld, nsid: string, query: (did: string) => string): Buffer[] {
  const random = createRandom(5)
  const { viewers, popular } = served.world
  const tokens = new Map(viewers.map((viewer) => [viewer, served.token(viewer, nsid)]))
  return Array.from({ length: TOKENS }, () => {
    const viewer = random.pick(viewers)
    return getRequest(`/xrpc/${nsid}?${query(random.pick(popular))}`, tokens.get(viewer))
  })
}

function report(
  method: string,
  pairs: readonly Measured[][],
  figures: Record<string, (of: Measured) => number>,
): void {
  for (const [name, figure] of Object.entries(figures))
    reportRatio(`${method}.${name}`, pairs, figure)
}
