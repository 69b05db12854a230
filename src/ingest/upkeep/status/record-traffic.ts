// Adds what the streams received to the rows of the day, once a minute and at the end. A kill loses a minute.

import { MINUTE_MS } from '../../../base/util/durations.ts'
import type { Db } from '../../../data/store/db.ts'
import {
  addStreamBytes,
  type StreamBytesRow,
  streamBytes,
} from '../../../data/store/stream/stream-bytes.ts'
import { addStreamPaces, streamChoiceFacts } from '../../../data/store/stream/stream-choices.ts'
import {
  AUTHORS_ONLY,
  type StreamLevel,
  type StreamPace,
} from '../../../data/store/stream/stream-levels.ts'
import type { WriteRetry } from '../../../data/store/write-retry.ts'
import type { SourceTraffic, Traffic, TrafficStatus } from '../../../sources/traffic.ts'
import type { Writer } from '../../indexing/writer.ts'

type PaceRow = Pick<StreamPace, 'kind' | 'whose' | 'bytes'>

/** Uses whose frames depend on what is left out. */
const CHOSEN: ReadonlySet<string> = new Set(['stream', 'authors'])

export function recordTraffic(options: {
  traffic: Traffic
  db: Db
  writer: Pick<Writer, 'commit'>
  diskSpace: Pick<WriteRetry, 'ifThereIsSpace'>
  /** The live stream, whose time this is. */
  current: () => { host: string; wire: string }
  /** What the live stream leaves out. */
  level: () => StreamLevel
  now: () => number
}): { status(): TrafficStatus; save(): void; stop(): void } {
  const { traffic, db, writer, diskSpace, current, level, now } = options
  let saved = new Map<string, StreamBytesRow>()
  let savedAt = performance.now()
  let facts = streamBytes(db, now())
  let choice = streamChoiceFacts(db)

  function save(): void {
    const rows = traffic.read().flatMap(rowsOf)
    const seconds = Math.round((performance.now() - savedAt) / 1000)
    const added = rows.map((row) => since(saved.get(keyOf(row)), row)).filter(hasAny)
    writer.commit((ctx) => {
      addStreamBytes(ctx.db, now(), [...added, timeOf(current(), seconds)])
      addStreamPaces(ctx.db, now(), level(), pacesOf(added, level()))
    })
    saved = new Map(rows.map((row) => [keyOf(row), row]))
    savedAt += seconds * 1000
    facts = streamBytes(db, now())
    choice = streamChoiceFacts(db)
  }

  const timer = setInterval(() => diskSpace.ifThereIsSpace(save), MINUTE_MS)
  return {
    status: () => ({ sources: traffic.read(), facts, choice }),
    save,
    stop() {
      clearInterval(timer)
      diskSpace.ifThereIsSpace(save)
    },
  }
}

function rowsOf({ host, wire, use, socketBytes, frames }: SourceTraffic): StreamBytesRow[] {
  const source = { host, wire, use, seconds: 0 }
  return [
    { ...source, kind: '', frames: 0, received: socketBytes, plain: 0 },
    ...Object.entries(frames).map(([kind, bytes]) => ({ ...source, kind, ...bytes })),
  ]
}

/** What the sockets received, less what the choice of what to leave out changes. */
function pacesOf(rows: readonly StreamBytesRow[], level: StreamLevel): PaceRow[] {
  const byKind = new Map<string, PaceRow>()
  let common = 0
  for (const { use, kind, received } of rows) {
    if (kind === '') common += received
    if (kind === '' || !CHOSEN.has(use)) continue
    common -= received
    const isAuthors = use === 'authors' || level === AUTHORS_ONLY
    const whose = isAuthors ? 'authors' : 'all'
    const key = `${whose} ${kind}`
    byKind.set(key, { kind, whose, bytes: (byKind.get(key)?.bytes ?? 0) + received })
  }
  return [{ kind: '', whose: 'all', bytes: Math.max(0, common) }, ...byKind.values()]
}

function since(before: StreamBytesRow | undefined, row: StreamBytesRow): StreamBytesRow {
  if (!before) return row
  return {
    ...row,
    frames: row.frames - before.frames,
    received: row.received - before.received,
    plain: row.plain - before.plain,
  }
}

function hasAny({ received, frames }: StreamBytesRow): boolean {
  return received > 0 || frames > 0
}

function timeOf({ host, wire }: { host: string; wire: string }, seconds: number): StreamBytesRow {
  return { host, wire, use: 'stream', kind: '', frames: 0, received: 0, plain: 0, seconds }
}

function keyOf({ host, wire, use, kind }: StreamBytesRow): string {
  return `${use} ${wire} ${host} ${kind}`
}
