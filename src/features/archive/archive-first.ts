// A stream that begins with the archive (reading/): reads there what the stream would have brought,
// through the same indexer and in the same order, then continues live on the same host by seq. All other code
// sees one stream. The stream's own cursor is not saved before the handover, so code that asks for the
// position learns that the stream has not begun. After an absence longer than any host's window the archive
// closes the gap.

import { type Consumer, newest, type StreamStatus } from '@slipstream/jetstream'
import { collections } from '../../base/atproto/collections.ts'
import type { Logger } from '../../base/obs/log.ts'
import { DAY_MS } from '../../base/util/durations.ts'
import type { Db } from '../../data/store/db.ts'
import { replaceStreamCursors, streamCursors } from '../../data/store/stream/stream-cursors.ts'
import { noRetry } from '../../data/store/write-retry.ts'
import type { BeginContext, BegunStream } from '../../ingest/begin-stream.ts'
import { commitBatch } from '../../ingest/indexing/apply-batch.ts'
import type { ArchiveStatus } from './archive-status.ts'
import { beforeLiveOf } from './archive-words.ts'
import type { ArchiveLimits } from './reading/limits.ts'
import { type ArchiveReader, createArchiveReader } from './reading/read-archive.ts'
import { type ArchiveProgress, allArchives, findArchive, putArchive } from './store/archives.ts'

/** Hosts keep 36 hours, and planning takes its time. */
const LONG_ABSENCE_MS = DAY_MS
const GIGABYTE = 1_000_000_000

type StreamWithArchive = Omit<BegunStream, 'report'> & {
  report(): { archive: ArchiveStatus | undefined }
}

type ArchiveSettings = {
  archive: boolean
  archiveKey: string | undefined
  archiveDailyGb: number
  jetstreamHosts: readonly string[]
}

type Dependencies = BeginContext & { limits?: Partial<ArchiveLimits> }

export function createStreamAfterArchive(
  config: ArchiveSettings,
  parts: Dependencies,
): StreamWithArchive {
  const { db, now, log } = parts
  const begun = archiveToRead(db, config, now())
  if (!begun) {
    warnOfHalf(db, config, log)
    const archive = undefined
    return { ...parts.createStream(), beforeLive: () => undefined, report: () => ({ archive }) }
  }
  const abort = new AbortController()
  const reader = createReader(config, parts, begun, abort.signal)
  let stream: Consumer | undefined
  let running: Promise<void> | undefined

  // Rejections are deliberately not caught: a failed write stops the process, unless the
  // disk is full.
  async function run(): Promise<void> {
    const { host, seq } = begun!
    log.info({ host, seq }, 'the stream starts with the archive')
    if (!(await reader.run())) return
    const { writeRetry = noRetry } = parts
    const isOver = await writeRetry.retry(() => handOver(parts, reader.progress()))
    if (!isOver) return
    stream = parts.createStream()
    stream.start()
  }

  return {
    start() {
      running ??= run()
    },
    async stop() {
      abort.abort()
      await running
      await stream?.stop()
    },
    // With the whole network indexed, only collections are filtered.
    setFilters: (filters) => stream?.setFilters(filters),
    status() {
      const events = reader.progress().events - begun.events
      if (!stream) return { ...statusOf(reader, now()), received: events }
      const live = stream.status()
      return { ...live, received: events + live.received }
    },
    beforeLive: () => beforeLiveOf(archiveStatus(reader, stream !== undefined)),
    report: () => ({ archive: archiveStatus(reader, stream !== undefined) }),
  }
}

/** @returns the archive's progress, if the stream must begin with it. */
function archiveToRead(
  db: Db,
  { archive, jetstreamHosts }: Pick<ArchiveSettings, 'archive' | 'jetstreamHosts'>,
  now: number,
): ArchiveProgress | undefined {
  if (!archive) return undefined
  const host = jetstreamHosts[0]!
  const known = findArchive(db, host)
  if (known && known.finishedAt === undefined) return known
  const isFirst = !allArchives(db).some(({ finishedAt }) => finishedAt !== undefined)
  const from = isFirst ? { seq: 0, timeUs: 0 } : leftLongAgo(db, host, now)
  if (!from) return undefined
  const figures = known ?? { events: 0, bytes: 0, lostBlocks: 0, day: 0, dayBytes: 0 }
  return { ...figures, host, ...from, tipSeq: 0, startedAt: now, finishedAt: undefined }
}

/** Where the stream stopped on this host, if no host's window reaches back that far. */
function leftLongAgo(
  db: Db,
  host: string,
  now: number,
): { seq: number; timeUs: number } | undefined {
  const left = newest(streamCursors(db))
  if (left?.host !== host || left.wire !== 'v2' || left.seq === undefined) return undefined
  const { seq, timeUs } = left
  return timeUs / 1000 < now - LONG_ABSENCE_MS ? { seq, timeUs } : undefined
}

function createReader(
  config: ArchiveSettings,
  { writer, now, log, onApplied, writeRetry = noRetry, limits }: Dependencies,
  progress: ArchiveProgress,
  signal: AbortSignal,
): ArchiveReader {
  return createArchiveReader({
    origin: progress.host.replace(/^ws/, 'http'),
    key: config.archiveKey,
    maxDailyBytes: config.archiveDailyGb * GIGABYTE,
    collections,
    progress,
    async apply(batch) {
      const { events, gaps } = batch
      const outcome = await writeRetry.retry(() =>
        commitBatch(writer, { events, gaps }, ({ db }) => putArchive(db, batch.progress)),
      )
      if (outcome) await onApplied(events, outcome)
      // Lets other work of this thread run.
      await new Promise((resolve) => setImmediate(resolve))
    },
    signal,
    now,
    log,
    limits,
  })
}

/** Resumes the stream where the archive ends: inclusively, so that nothing lies between. */
function handOver({ writer, now, log }: Dependencies, progress: ArchiveProgress): true {
  const { host, startedAt } = progress
  const seq = Math.max(1, progress.seq)
  const timeUs = progress.timeUs || startedAt * 1000
  writer.commit(({ db }) => {
    putArchive(db, { ...progress, finishedAt: now() })
    replaceStreamCursors(db, { host, wire: 'v2', seq, timeUs }, now())
  })
  const { events, bytes, lostBlocks } = progress
  log.info({ host, seq, events, bytes, lostBlocks }, 'the archive is read; continuing live')
  return true
}

function warnOfHalf(db: Db, { archive }: ArchiveSettings, log: Logger): void {
  if (archive) return
  const half = allArchives(db).find(({ finishedAt }) => finishedAt === undefined)
  if (!half) return
  const { host, seq, tipSeq } = half
  const line = { host, seq, tipSeq, hint: 'SLIPSTREAM_ARCHIVE=on resumes it' }
  log.warn(line, 'the archive was not read completely: later events are missing')
}

function statusOf(reader: ArchiveReader, now: number): Omit<StreamStatus, 'received'> {
  const { host, timeUs } = reader.progress()
  const lastEventTimeUs = timeUs || undefined
  return {
    host,
    wire: 'v2',
    compressed: true,
    connected: false,
    filtersSent: true,
    paused: false,
    lastEventTimeUs,
    lagMs: lastEventTimeUs && Math.max(0, now - lastEventTimeUs / 1000),
    dropped: reader.dropped(),
    reconnects: 0,
    gaps: 0,
    lastError: reader.waiting()?.message,
    lastErrorHost: host,
  }
}

function archiveStatus(reader: ArchiveReader, isDone: boolean): ArchiveStatus {
  const { host, seq, tipSeq, timeUs, events, bytes, dayBytes, lostBlocks, startedAt } =
    reader.progress()
  const waiting = isDone ? undefined : reader.waiting()
  return {
    state: isDone ? 'done' : waiting ? 'waiting' : 'reading',
    host,
    seq,
    tipSeq,
    startedAt,
    events,
    bytes,
    dayBytes,
    lostBlocks,
    percent: tipSeq === 0 ? 0 : Math.floor((seq / tipSeq) * 1000) / 10,
    reachedUs: timeUs || undefined,
    waiting,
  }
}
