// Opens one connection to a Jetstream host, until the first event or for a few seconds, with the components
// of the real stream.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createDictionaryStore,
  createFrameDecoder,
  defaultLimits,
  openConnection,
  remedyFor,
  subscribeUrl,
} from '@slipstream/jetstream'
import { createDecompressor, type Decompressor, type Dictionary } from '@slipstream/zstd-dictionary'
import { createLogger } from '../../../base/obs/log.ts'
import type { DoctorContext } from '../context.ts'

export type Heard = {
  /** How it ended before any data; undefined if it was open. */
  end: 'unreachable' | 'no such wire' | 'refused' | undefined
  why: string
  /** undefined: uncompressed. */
  dictionaryId: number | undefined
  /** Why there is none although compression is enabled. */
  noDictionary: string | undefined
  /** Of the first readable event, microseconds since 1970. */
  timeUs: number | undefined
  /** Why the first frames were unreadable. */
  unreadable: string | undefined
  /** Longest listening time. */
  seconds: number
}

type Call = { host: string; wire: 'v1' | 'v2'; cursor?: number }

const LISTEN_MS = 5_000
const MAX_UNREADABLE = 20
const limits = { ...defaultLimits, handshakeTimeoutMs: 6_000, dictionaryTimeoutMs: 5_000 }

export async function listenTo(doctor: DoctorContext, call: Call): Promise<Heard> {
  const had = await findDictionary(doctor, call)
  const decompressor =
    had.dictionary && (await createDecompressor(had.dictionary, limits.maxFrameBytes))
  try {
    const heard = await listen(doctor, call, decompressor)
    return { ...heard, dictionaryId: decompressor?.dictionaryId, noDictionary: had.reason }
  } finally {
    decompressor?.dispose()
  }
}

/** Always fetched again, and not stored. */
async function findDictionary(
  { config }: DoctorContext,
  { host, wire }: Call,
): Promise<{ dictionary?: Dictionary; reason?: string }> {
  if (!config.jetstreamCompress) return {}
  const cacheDir = await mkdtemp(join(tmpdir(), 'slipstream-doctor-'))
  const log = createLogger({ level: 'silent', name: 'doctor' })
  const timeoutMs = limits.dictionaryTimeoutMs
  const store = createDictionaryStore({
    cacheDir,
    v1Dictionary: config.jetstreamV1Dictionary,
    timeoutMs,
    log,
  })
  const had = await store.get(host, wire, AbortSignal.timeout(timeoutMs))
  await rm(cacheDir, { recursive: true, force: true })
  return had.dictionary ? { dictionary: had.dictionary } : { reason: had.reason }
}

async function listen(
  { socket }: DoctorContext,
  { host, wire, cursor }: Call,
  decompressor: Decompressor | undefined,
): Promise<Omit<Heard, 'dictionaryId' | 'noDictionary'>> {
  const { maxFrameBytes } = limits
  const dictionaryId = decompressor?.dictionaryId
  const filters = { collections: [], dids: undefined }
  const { url } = subscribeUrl({ host, wire, filters, cursor, dictionaryId, maxFrameBytes })
  const decoder = createFrameDecoder({ wire, decompressor, maxFrameBytes })
  const heard = {
    timeUs: undefined as number | undefined,
    unreadable: undefined as string | undefined,
  }
  let bad = 0
  const connection = openConnection({
    url,
    limits,
    ...(socket.lookup && { lookup: socket.lookup }),
    onOpen: () => undefined,
    onFrame(data, isBinary) {
      const decoded = decoder.decode(data, isBinary)
      if (typeof decoded === 'string') {
        heard.unreadable = decoded
        if (++bad >= MAX_UNREADABLE) connection.leave()
      } else if (!('notice' in decoded)) {
        heard.timeUs = decoded.timeUs
        heard.unreadable = undefined
        connection.leave()
      }
    },
  })
  const timer = setTimeout(() => connection.leave(), LISTEN_MS)
  const ending = await connection.ended
  clearTimeout(timer)
  const seconds = LISTEN_MS / 1000
  if (ending.kind === 'unreachable')
    return { end: 'unreachable', why: ending.message, ...heard, seconds }
  if (ending.kind !== 'refused') return { end: undefined, why: '', ...heard, seconds }
  const end = remedyFor(ending) === 'use-v1' ? 'no such wire' : 'refused'
  const why = `it refuses (${ending.status} ${ending.name} ${ending.message})`.trim()
  return { end, why, ...heard, seconds }
}
