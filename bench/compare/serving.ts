// Compares the cost of answers in this tree and in another. Both serve a world of the same size at the same
// time, and one load generator queries them in the order A, B, B, A for one second each. A machine whose
// speed varies by a factor of two can then neither fake a difference nor hide one.

import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readArguments } from '../../src/tools/cli/script-usage.ts'
import { createRandom } from '../../test/support/random.ts'
import { getRequest, startLoadGenerator } from '../load/load-generator.ts'
import { quantile } from '../quantile.ts'
import { type Measured, measureLoad } from '../world/measure-load.ts'
import type { ServedWorld } from '../world/serving-world.ts'
import type { WorldSize } from '../world/social-world.ts'

const CONNECTIONS = 8
const COMPILE_SECONDS = 3
const ROUND_SECONDS = 1
const TOKENS = 2_400
const HERE = join(import.meta.dirname, '../..')

const USAGE = 'node bench/compare/serving.ts OTHER_TREE [--rounds 8] [--full]'
const { values, other } = readArguments(USAGE, (args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '8' },
      full: { type: 'boolean', default: false },
    },
  })
  const [other] = positionals
  if (!other) throw new Error('Name the tree to compare with.')
  return { values, other }
})

const generator = startLoadGenerator()
const worlds = [await serve(resolve(other)), await serve(HERE)] as const
try {
  for (const [method, requests] of Object.entries(methods())) {
    const asked = worlds.map(requests)
    const measure = (i: number, seconds: number) =>
      measureLoad(
        { generator, app: worlds[i]!.app },
        {
          requests: asked[i]!,
          connections: CONNECTIONS,
          warmupSeconds: 0.2,
          seconds,
          load: { kind: 'closed' },
        },
      )
    for (const i of [0, 1]) await measure(i, COMPILE_SECONDS)
    const pairs: [Measured, Measured][] = []
    for (let round = 0; round < Number(values.rounds); round++) {
      const order = round % 2 === 0 ? [0, 1] : [1, 0]
      const pair: Measured[] = []
      for (const i of order) pair[i] = await measure(i, ROUND_SECONDS)
      pairs.push(pair as [Measured, Measured])
    }
    report(method, pairs)
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
    getTimeline: (served) => ofEachViewer(served, 'app.bsky.feed.getTimeline', 'limit=50'),
    getKnownFollowers: (served) => aboutPopular(served, KNOWN, (did) => `actor=${did}&limit=50`),
    socialProof: (served) => aboutPopular(served, PROOF, (did) => `subjects=${did}&followers=0`),
  }
}

function ofEachViewer(served: ServedWorld, nsid: string, query: string): Buffer[] {
  const { viewers } = served.world
  return Array.from({ length: TOKENS }, (_, i) =>
    getRequest(`/xrpc/${nsid}?${query}`, served.token(viewers[i % viewers.length]!, nsid)),
  )
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

function report(method: string, pairs: [Measured, Measured][]): void {
  const figures = {
    cpu_ms: 'cpuMs',
    serving_thread_cpu_ms: 'servingCpuMs',
    rps: 'perSecond',
  } as const
  for (const [name, key] of Object.entries(figures)) {
    const middle = (i: 0 | 1) => quantile(ascending(pairs.map((pair) => pair[i][key])), 0.5)
    const ratios = ascending(pairs.map(([before, now]) => now[key] / before[key]))
    const [low, mid, high] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share).toFixed(2))
    const [before, now] = [middle(0).toPrecision(4), middle(1).toPrecision(4)]
    console.log(
      `${method}.${name}: ${before} → ${now}, ratio ${mid} (half of the rounds ${low} to ${high})`,
    )
  }
}

function ascending(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b)
}
