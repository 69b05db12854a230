// The same request sixteen times at once, beside a member who polls a warm page. How long the member waits is
// reported, and never judged: it depends on what else runs on the machine.

import { quantile } from '../../../bench/runner/quantile.ts'
import type { Request } from './requests.ts'
import type { CostlyServer } from './server.ts'
import { POLLER } from './worst-rows.ts'

export type Beside = {
  /** Of the polls meanwhile; milliseconds. */
  p99Ms: number
  polls: number
  /** Processor time of the serving thread per answer, and in its longest turn; milliseconds. */
  eachMs: number
  turnMs: number
  statuses: Record<number, number>
}

const AT_ONCE = 16
const POLL_EVERY_MS = 25
const LEAST_MS = 1_000

const page: Request = {
  method: 'app.bsky.feed.getTimeline',
  viewer: POLLER,
  path: '/xrpc/app.bsky.feed.getTimeline?limit=50',
}

/** @param request - undefined: the polls alone */
export async function measureBeside(
  server: CostlyServer,
  request: Request | undefined,
): Promise<Beside> {
  const polling = poll(server)
  const statuses: Record<number, number> = {}
  const metered = await server.metered(async () => {
    const least = new Promise((resolve) => setTimeout(resolve, LEAST_MS))
    const all = request ? Array.from({ length: AT_ONCE }, () => server.ask(request)) : []
    for (const { status } of await Promise.all(all)) statuses[status] = (statuses[status] ?? 0) + 1
    await least
  })
  const waits = await polling.end()
  return {
    p99Ms: quantile(waits, 0.99),
    polls: waits.length,
    eachMs: metered.totalMs / AT_ONCE,
    turnMs: metered.maxMs,
    statuses,
  }
}

function poll(server: CostlyServer) {
  const waits: number[] = []
  let isOver = false
  const done = (async () => {
    while (!isOver) {
      const began = performance.now()
      await server.ask(page)
      waits.push(performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS))
    }
  })()
  return {
    async end(): Promise<number[]> {
      isOver = true
      await done
      return waits.sort((a, b) => a - b)
    },
  }
}
