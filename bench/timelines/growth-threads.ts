// How many home timelines a second are answered with one, two and four serving threads, over HTTP, and what an
// answer costs: two threads on two cores share them with the load generator, four have to take turns. Drawn by
// write-plots.ts, like growth.ts.

import { availableParallelism } from 'node:os'
import { getRequest, type LoadGenerator, startLoadGenerator } from '../load/load-generator.ts'
import type { BenchOptions, BenchResult } from '../runner/result.ts'
import { measureLoad } from '../world/measure-load.ts'
import { serveWorld } from '../world/serving-world.ts'
import { smallWorld } from '../world/social-world.ts'

const TIMELINE = 'app.bsky.feed.getTimeline'
const THREADS = [1, 2, 4]
const CONNECTIONS = 32
const TOKENS = 3_000

export async function bench({ full }: BenchOptions): Promise<BenchResult[]> {
  const generator = startLoadGenerator()
  const seconds = full ? 20 : 4
  try {
    const results: BenchResult[] = []
    for (const threads of THREADS) results.push(...(await measure(generator, threads, seconds)))
    const cores = availableParallelism()
    return [...results, { name: 'growth.threads.cores', value: cores, unit: 'cores' }]
  } finally {
    generator.stop()
  }
}

async function measure(
  generator: LoadGenerator,
  threads: number,
  seconds: number,
): Promise<BenchResult[]> {
  const settings = {
    SERVE_THREADS: String(threads),
    MEMBER_RATE_LIMIT: '0',
    VISITOR_RATE_LIMIT: '0',
  }
  const served = await serveWorld(smallWorld, settings, { isSearchable: true })
  try {
    const { viewers } = served.world
    const requests = Array.from({ length: TOKENS }, (_, i) => {
      const viewer = viewers[i % viewers.length]!
      return getRequest(`/xrpc/${TIMELINE}?limit=50`, served.token(viewer, TIMELINE))
    })
    const load = { kind: 'closed' } as const
    const { perSecond, cpuMs, latency } = await measureLoad(
      { generator, app: served.app },
      { requests, connections: CONNECTIONS, seconds, warmupSeconds: seconds, load },
    )
    const name = `growth.threads.${threads}`
    return [
      { name: `${name}.answers.rps`, value: perSecond, unit: 'requests/s' },
      { name: `${name}.cpu.ms`, value: cpuMs, unit: 'ms' },
      { name: `${name}.p50.ms`, value: latency.p50, unit: 'ms' },
    ]
  } finally {
    await served.close()
  }
}
