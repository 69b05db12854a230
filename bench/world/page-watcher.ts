// The processes of page-watch.ts: `idle` serves a page that costs nothing; `watch` requests it and the
// members' pages in rotation, on schedule whether or not earlier requests are answered.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readCpu } from './process-cpu.ts'

export type Watched = {
  p50: number
  p99: number
  max: number
  count: number
  refused: number
  /** 99th percentile of the server's main thread's processor time meanwhile; 0 if it is not watched. */
  aheadP99: number
}
export type PageReport = { page: Watched; noise: Watched }
export type WatchOrder = {
  pages: { url: string; token: string }[]
  idle: string
  /** Milliseconds from one request to the next. */
  everyMs: number
  /** The server's process, whose main thread answers. */
  pid?: number | undefined
}
export type WatchMessage =
  | { kind: 'listening'; url: string }
  | { kind: 'report'; report: PageReport }

type Taken = { times: number[]; ahead: number[]; refused: number }

const IDLE_PAGE = JSON.stringify({ feed: 'x'.repeat(30_000) })
const TIMEOUT_MS = 60_000

process.on('disconnect', () => process.exit(0))
if (process.argv[2] === 'idle') serveIdly()
else process.once('message', (order: WatchOrder) => watch(order))

function serveIdly(): void {
  const server = createServer((_request, response) => response.end(IDLE_PAGE))
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    process.send!({ kind: 'listening', url: `http://127.0.0.1:${port}/` } satisfies WatchMessage)
  })
}

function watch({ pages, idle, everyMs, pid }: WatchOrder): void {
  let page: Taken = { times: [], ahead: [], refused: 0 }
  let noise: Taken = { times: [], ahead: [], refused: 0 }
  let requested = 0
  setInterval(() => {
    const { url, token } = pages[requested++ % pages.length]!
    void ask(page, url, { authorization: `Bearer ${token}` }, pid)
    void ask(noise, idle, {})
  }, everyMs)
  process.on('message', (order: 'begin' | 'report') => {
    if (order === 'report') {
      const report = { page: summed(page), noise: summed(noise) }
      process.send!({ kind: 'report', report } satisfies WatchMessage)
    }
    page = { times: [], ahead: [], refused: 0 }
    noise = { times: [], ahead: [], refused: 0 }
  })
}

async function ask(
  into: Taken,
  url: string,
  headers: Record<string, string>,
  pid?: number,
): Promise<void> {
  const before = pid === undefined ? 0 : readCpu(pid).serving
  const startedAt = performance.now()
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
    await response.arrayBuffer()
    if (response.status !== 200) into.refused += 1
  } catch {
    into.refused += 1
  }
  into.times.push(performance.now() - startedAt)
  if (pid !== undefined) into.ahead.push((readCpu(pid).serving - before) * 1_000)
}

function summed({ times, ahead, refused }: Taken): Watched {
  const at = sharesOf(times)
  const aheadP99 = sharesOf(ahead)(0.99)
  return { p50: at(0.5), p99: at(0.99), max: at(1), count: times.length, refused, aheadP99 }
}

function sharesOf(values: readonly number[]): (share: number) => number {
  const sorted = values.toSorted((a, b) => a - b)
  return (share) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
}
