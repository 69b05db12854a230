// The double's decision before the upgrade: how to serve a request, or refuse it with the status, name and
// body of the real server (internal/subscribe/handler.go and cursor.go).

import type { Dictionary } from './dictionaries.ts'
import type { EventLog, Wire } from './event-log.ts'
import { InvalidOptionsError, parseFilterV1, parseFilterV2, type WireFilter } from './filters.ts'

const SEQ_BELOW = 1e15
export const V2_PATH = '/xrpc/network.bsky.jetstream.subscribeEvents'

/**
 * A refusal before the upgrade; `name` goes into the XRPC envelope on v2, and is not sent on v1.
 */
export type Refusal = { status: number; name: string; message: string }

export type AppContext = {
  wire: Wire
  filter: WireFilter
  dictionary: Dictionary | undefined
  startSeq: number
  /** Sent as the first frame: a time cursor on v2 was clamped. */
  clampedTo: number | undefined
  requireHello: boolean
}

export type HandshakeContext = {
  log: EventLog
  legacy: boolean
  dictionaries: { v1: Dictionary; v2: Dictionary }
}

type Headers = { [name: string]: string | string[] | undefined }

export function decideHandshake(
  url: URL,
  headers: Headers,
  context: HandshakeContext,
): AppContext | Refusal {
  const wire = wireOf(url.pathname, context.legacy)
  if (!wire) return { status: 404, name: 'MethodNotImplemented', message: 'not found' }
  const query = url.searchParams
  try {
    const dictionary =
      wire === 'v2' ? zstdV2(query, headers, context) : zstdV1(query, headers, context)
    if (dictionary && 'status' in dictionary) return dictionary
    const filter = wire === 'v2' ? parseFilterV2(query) : parseFilterV1(query)
    const start = resolveCursor(query.get('cursor'), wire, context)
    if ('status' in start) return start
    const requireHello = wire === 'v1' && query.get('requireHello') === 'true'
    return { wire, filter, dictionary, ...start, requireHello }
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error
    return { status: 400, name: 'InvalidRequest', message: error.message }
  }
}

function wireOf(path: string, legacy: boolean): Wire | undefined {
  if (path === '/subscribe') return 'v1'
  return path === V2_PATH && !legacy ? 'v2' : undefined
}

function zstdV2(
  query: URLSearchParams,
  headers: Headers,
  { dictionaries }: HandshakeContext,
): Dictionary | Refusal | undefined {
  if (query.get('compress') === 'true' || String(headers['socket-encoding']).includes('zstd')) {
    return { status: 400, name: 'InvalidRequest', message: 'compress=true is the v1 opt-in' }
  }
  const requested = query.get('zstdDictionary')
  if (requested === null || requested === '') return undefined
  if (!/^[1-9]\d{0,9}$/.test(requested)) {
    const message = 'zstdDictionary must be a positive integer zstd dictionary ID'
    return { status: 400, name: 'InvalidRequest', message }
  }
  const { id } = dictionaries.v2
  if (Number(requested) === id) return dictionaries.v2
  const message = `unknown zstd dictionary id ${requested}; current dictionary id is ${id}`
  return { status: 400, name: 'UnknownZstdDictionary', message }
}

function zstdV1(
  query: URLSearchParams,
  headers: Headers,
  { dictionaries, legacy }: HandshakeContext,
): Dictionary | Refusal | undefined {
  const requested =
    query.get('compress') === 'true' || String(headers['socket-encoding']).includes('zstd')
  if (!requested) return undefined
  const deflates = String(headers['sec-websocket-extensions']).includes('permessage-deflate')
  if (!deflates || legacy) return dictionaries.v1
  return { status: 400, name: 'InvalidRequest', message: 'choose one compression scheme' }
}

function resolveCursor(
  raw: string | null,
  wire: Wire,
  context: HandshakeContext,
): Pick<AppContext, 'startSeq' | 'clampedTo'> | Refusal {
  const { log, legacy } = context
  const tip = { startSeq: log.nextSeq(), clampedTo: undefined }
  if (raw === null || raw === '') return tip
  if (!/^\d{1,19}$/.test(raw)) {
    return { status: 400, name: 'InvalidRequest', message: `invalid cursor: "${raw}"` }
  }
  const cursor = Number(raw)
  const floor = log.floorSeq()
  if (cursor < SEQ_BELOW && !legacy) {
    if (cursor >= log.nextSeq()) return tip
    if (cursor >= floor || wire === 'v1') {
      return { startSeq: Math.max(cursor, floor), clampedTo: undefined }
    }
    const message = `cursor too old: cursor ${cursor} below lookback floor ${floor}; re-backfill from your last seq`
    return { status: 400, name: 'CursorTooOld', message }
  }
  const startSeq = log.seqAt(cursor)
  // A legacy host reads any number as microseconds: a seq is early in 1970.
  if (startSeq >= floor && cursor >= (log.entry(floor)?.event.timeUs ?? 0)) {
    return { startSeq, clampedTo: undefined }
  }
  return { startSeq: Math.max(startSeq, floor), clampedTo: wire === 'v2' ? floor : undefined }
}
