// Asks each request alone, again if it was costly, and finds out where the time went.

import { forgedCursors, type Request } from './requests.ts'
import type { CostlyServer } from './server.ts'
import type { Hot } from './turn-meter.ts'

export type Measured = {
  request: Request
  status: number
  bytes: number
  /** Processor time of the longest turn of the serving thread, in milliseconds: of the first try, and the least of further ones. */
  firstMs: number
  againMs: number
  /** Of all turns of the first try. */
  totalMs: number
  hottest?: Hot[]
}

const TRIES = 3

/** @param boundMs - a turn below it is not measured again */
export async function measure(
  server: CostlyServer,
  request: Request,
  boundMs: number,
): Promise<Measured[]> {
  const first = await measureOne(server, request, boundMs)
  if (!request.isPaged || first.measured.status !== 200) return [first.measured]
  const cursor = cursorOf(first.text)
  if (cursor === undefined) return [first.measured]
  const behind: Measured[] = []
  for (const value of [cursor, ...forgedCursors(cursor)]) {
    const requested = withCursor(request, value)
    behind.push((await measureOne(server, requested, boundMs)).measured)
  }
  return [first.measured, ...behind]
}

async function measureOne(server: CostlyServer, request: Request, boundMs: number) {
  const work = () => server.ask(request)
  const { maxMs, totalMs, result } = await server.metered(work)
  const { status, text } = result
  const measured: Measured = {
    request,
    status,
    bytes: text.length,
    firstMs: maxMs,
    againMs: maxMs,
    totalMs,
  }
  if (maxMs <= boundMs) return { measured, text }
  measured.againMs = Infinity
  for (let i = 0; i < TRIES; i++) {
    measured.againMs = Math.min(measured.againMs, (await server.metered(work)).maxMs)
  }
  if (measured.againMs > boundMs) measured.hottest = await server.profiled(work)
  return { measured, text }
}

function cursorOf(text: string): string | undefined {
  const { cursor, next_cursor } = JSON.parse(text) as { cursor?: string; next_cursor?: string }
  return cursor ?? next_cursor ?? undefined
}

function withCursor(request: Request, cursor: string): Request {
  const { rpc, path } = request
  if (rpc) return { ...request, rpc: { ...rpc, message: () => ({ ...rpc.message(), cursor }) } }
  const separator = path.includes('?') ? '&' : '?'
  return { ...request, path: `${path}${separator}cursor=${encodeURIComponent(cursor)}` }
}
