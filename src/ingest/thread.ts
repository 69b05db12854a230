// The ingest thread: the only writer. It owns the socket, the writer connection, the writing side of
// graph and timelines, and the background work against other people's servers.
//
// The way of a batch: consumer → indexer (one transaction) → publish (memory) → the next batch. An
// error on that way is ours, not the data's: it is not caught, and ends the process.

import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { createBackfill } from '../backfill/runner.ts'
import type { IngestMessage } from '../bridge.ts'
import { type Config, ConfigError } from '../config.ts'
import { createGuardedFetch } from '../identity/guarded-fetch.ts'
import { createGuardedLookup } from '../identity/guarded-lookup.ts'
import { createResolver } from '../identity/resolver.ts'
import type { IndexContext } from '../indexing/index-context.ts'
import { createIndexer } from '../indexing/indexer.ts'
import { memberSeen } from '../indexing/members.ts'
import type { MemoryChange } from '../indexing/memory-changes.ts'
import { openTimeline } from '../indexing/open-timeline.ts'
import { publish } from '../indexing/publish.ts'
import { type Consumer, createConsumer, type StreamBatch } from '../jetstream/consumer.ts'
import { createLabels } from '../labels/labels.ts'
import { createLogger } from '../obs/log.ts'
import { collections } from '../store/collections.ts'
import { openWriter } from '../store/db.ts'
import { keepCheckpointed } from './checkpoints.ts'
import { followConfiguredMembers } from './configured-members.ts'
import { cursorsFromNowOn } from './first-cursor.ts'
import { startHousekeeping } from './housekeeping.ts'
import { createLatencyRecorder } from './latency.ts'
import { createLines } from './lines.ts'
import { loadMemory } from './memory.ts'
import { reportStatus } from './report-status.ts'
import { keepSearchable } from './searching.ts'
import { streamFilters } from './stream-filters.ts'
import { createWriterRequests } from './writer-requests.ts'

const FILTER_CHANGES = new Set([
  'follow',
  'unfollow',
  'member-added',
  'member-removed',
  'actor-removed',
])

/** Answers come first where processors are short: catching up can wait a few milliseconds. */
const NICENESS = 5

const port = parentPort!

try {
  run((workerData as { config: Config }).config)
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  tell({ kind: 'refused', message: error.message, hint: error.hint })
}

function tell(message: IngestMessage): void {
  port.postMessage(message)
}

function run(config: Config): void {
  letOthersGoFirst()
  const core = createCore(config)
  const { actors, db, indexer, log, memory, now } = core
  const latency = createLatencyRecorder()
  const checkpoints = keepCheckpointed({ db, dataDir: config.dataDir, log })
  core.snapshots.checkpointBy(() => checkpoints.tend())
  const lines = createLines(port)

  /** Every change of memory comes through here, after its commit. */
  function publishChanges(changes: MemoryChange[]): void {
    publish(db, memory, changes)
    if (config.indexScope === 'authors' && changes.some(({ kind }) => FILTER_CHANGES.has(kind))) {
      consumer.setFilters(streamFilters(config.indexScope, actors, config.trustedVerifiers))
    }
  }

  const { backfill, labels, resolver } = createBackground(config, core, publishChanges)
  const consumer = createStream(config, core, async (batch) => {
    publishChanges(indexer.applyBatch(batch).changes)
    latency.record(now() - batch.receivedAtMs)
    backfill.wake()
    await checkpoints.tend()
  })
  const answer = createWriterRequests({
    labels,
    indexer,
    publish: publishChanges,
    openTimeline: (did) => openWhereClosed(core, did),
    wakeBackfill: () => backfill.wake(),
  })
  const upkeep = [
    startHousekeeping({ ...core, timelineIdleDays: config.timelineIdleDays }),
    reportStatus({ db, memory, consumer, latency, tell: lines.tellAll }),
    keepSearchable({
      db,
      posts: { maxPosts: config.searchedPosts },
      checkpoint: () => checkpoints.tend(),
    }),
    followConfiguredMembers({
      accounts: config.members === 'open' ? [] : config.members,
      resolver,
      onKnown: (dids) => {
        publishChanges(indexer.run((ctx) => admit(ctx, dids)))
        backfill.wake()
        lines.tellAll({ kind: 'configured-members', dids })
      },
      log,
    }),
  ]

  async function stop(): Promise<void> {
    for (const one of upkeep) one.stop()
    await consumer.stop()
    await Promise.all([backfill.stop(), labels.stop()])
    core.snapshots.finish()
    await checkpoints.stop()
    db.close()
    lines.close()
  }

  lines.listen({ answer, onStop: () => void stop() })
  consumer.start()
  backfill.start()
  labels.start()
  tell({ kind: 'ready', memory: core.handles })
}

/** On Linux alone a thread has a niceness of its own; elsewhere it is the whole process'. */
function letOthersGoFirst(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(NICENESS)
  } catch {
    // Not allowed here: then both are equal.
  }
}

/** The store, the memory that follows from it, and what writes both. */
function createCore(config: Config) {
  const log = createLogger({ level: config.logLevel, name: 'ingest' })
  const now = Date.now
  const db = openWriter(config.dataDir)
  const { memory, handles, snapshots } = loadMemory({ db, config, log })
  const { actors } = memory
  const indexer = createIndexer({
    ...{ db, actors, now },
    scope: config.indexScope,
    trustedVerifiers: config.trustedVerifiers,
  })
  return { actors, db, handles, indexer, log, memory, now, snapshots }
}

type Core = ReturnType<typeof createCore>

/** The guarded ways to other people's servers. */
function createOutside(config: Config, { log, now }: Core) {
  const { allowPrivateHosts, plcUrl } = config
  const fetch = createGuardedFetch({ allowPrivateHosts, trustedOrigins: [plcUrl], log })
  const lookupFor = createGuardedLookup({ allowPrivateHosts })
  const resolver = createResolver({ allowPrivateHosts, plcUrl, fetch, now, log })
  return { fetch, lookupFor, resolver }
}

/** What asks other people's servers. */
function createBackground(
  config: Config,
  core: Core,
  publishChanges: (changes: MemoryChange[]) => void,
) {
  const { actors, db, indexer, log, now } = core
  const { fetch, lookupFor, resolver } = createOutside(config, core)
  const shared = { db, indexer, publish: publishChanges, resolver, fetch, log, now }
  const backfill = createBackfill(shared)
  const labels = createLabels({
    ...shared,
    ...{ actors, lookupFor },
    onWork: () => backfill.wake(),
    configured: config.labelers,
  })
  return { backfill, labels, resolver }
}

function createStream(
  config: Config,
  { actors, db, log, now }: Core,
  apply: (batch: StreamBatch) => Promise<void>,
): Consumer {
  return createConsumer({
    hosts: config.jetstreamHosts,
    wire: config.jetstreamWire,
    compress: config.jetstreamCompress,
    v1Dictionary: config.jetstreamV1Dictionary,
    cacheDir: config.dataDir,
    filters: streamFilters(config.indexScope, actors, config.trustedVerifiers),
    unread: config.indexScope === 'network' ? [] : collections,
    cursors: cursorsFromNowOn(db, config, now()),
    apply,
    log,
  })
}

function openWhereClosed({ actors, db, memory, now }: Core, did: string): void {
  const uid = actors.uidOf(did)
  if (!memory.timelines.isOpen(uid)) openTimeline(db, memory, uid, now())
}

function admit(ctx: IndexContext, dids: string[]): void {
  for (const did of dids) memberSeen(ctx, did, null)
}
