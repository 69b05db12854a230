// The processes of page-watch.ts: `idle` serves a page that costs nothing; `watch` requests it and the
// members' pages in rotation, on schedule whether or not earlier requests are answered.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Watched = { p50: number; p99: number; max: number; count: number; refused: number }
export type PageReport = { page: Watched; noise: Watched }
export type WatchOrder = {
  pages: { url: string; token: string }[]
  idle: string
  /** Milliseconds from one request to the next. */
  everyMs: number
}
export type WatchMessage =
  | { kind: 'listening'; url: string }
  | { kind: 'report'; report: PageReport }

type Taken = { times: number[]; refused: number }

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

function watch({ pages, idle, everyMs }: WatchOrder): void {
  let page: Taken = { times: [], refused: 0 }
  let noise: Taken = { times: [], refused: 0 }
  let asked = 0
  setInterval(() => {
    const { url, token } = pages[asked++ % pages.length]!
    void ask(page, url, { authorization: `Bearer ${token}` })
    void ask(noise, idle, {})
  }, everyMs)
  process.on('message', (order: 'begin' | 'report') => {
    if (order === 'report') {
      const report = { page: summed(page), noise: summed(noise) }
      process.send!({ kind: 'report', report } satisfies WatchMessage)
    }
    page = { times: [], refused: 0 }
    noise = { times: [], refused: 0 }
  })
}

async function ask(into: Taken, url: string, headers: Record<string, string>): Promise<void> {
  const startedAt = performance.now()
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
    await response.arrayBuffer()
    if (response.status !== 200) into.refused += 1
  } catch {
    into.refused += 1
  }
  into.times.push(performance.now() - startedAt)
}

function summed({ times, refused }: Taken): Watched {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
  return { p50: at(0.5), p99: at(0.99), max: at(1), count: sorted.length, refused }
}
