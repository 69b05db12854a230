// The ingest thread: the only writer. It owns the socket, the writer connection, the writing side of graph
// and timelines, and the background work against other people's servers. A batch goes from the consumer to
// the writer (one transaction, then memory); then comes the next batch. An error on this path is our bug, not
// bad data: it is not caught and ends the process. Once everything runs, a full disk is waited for (disk/);
// at start it ends the process unless the write can wait.

import { parentPort, workerData } from 'node:worker_threads'
import type { StreamBatch } from '@slipstream/jetstream'
import { type Config, ConfigError } from '../base/config/config.ts'
import { namedMembers } from '../base/config/members.ts'
import { storeCompiledCode } from '../base/util/compile-cache.ts'
import { HOUR_MS } from '../base/util/durations.ts'
import { releaseUnusedMemory } from '../base/util/unused-memory.ts'
import { createLines, type Lines } from '../bridge/lines.ts'
import type { IngestMessage } from '../bridge/messages.ts'
import { loadRowsFeatures, type RowsFeature } from '../data/feature.ts'
import { endRun } from '../data/store/counts/history-holes.ts'
import { trimMalloc } from '../data/store/files/trim-malloc.ts'
import type { RepoMirrors } from './backfill/mirrors.ts'
import { type Backfill, createBackfill } from './backfill/runner.ts'
import { type BegunStream, beginStream } from './begin-stream.ts'
import { type Core, createCore } from './core.ts'
import {
  aboutAllOf,
  callsOf,
  handlersOf,
  type IngestCalls,
  type IngestFeature,
  loadIngestFeatures,
  mainStreamOf,
  mirrorsOf,
  type Operations,
  operationsOf,
  type RequestHandlers,
} from './feature.ts'
import { commitBatch } from './indexing/apply-batch.ts'
import type { IndexContext } from './indexing/index-context.ts'
import { memberSeen } from './indexing/members/members.ts'
import { createLabels, type Labels } from './labels/labels.ts'
import { createOutside } from './outside.ts'
import { bearFullDisk } from './upkeep/disk/bear-full-disk.ts'
import { type Checkpoints, watchedCheckpoints } from './upkeep/disk/checkpoints.ts'
import { createDiskGuard } from './upkeep/disk/disk-guard.ts'
import { createOnceOnly } from './upkeep/disk/once-only.ts'
import { startHousekeeping } from './upkeep/housekeeping.ts'
import { forgetAwayMembers } from './upkeep/members/away-members.ts'
import { followConfiguredMembers } from './upkeep/members/configured-members.ts'
import { letOthersGoFirst } from './upkeep/niceness.ts'
import { startRemoving } from './upkeep/removing.ts'
import { createOperatorRequests } from './upkeep/requests/operator-requests.ts'
import { createWriterRequests } from './upkeep/requests/writer-requests.ts'
import { startRetaining } from './upkeep/retaining.ts'
import { startSearchIndexing } from './upkeep/searching.ts'
import { countBatch } from './upkeep/status/count-work.ts'
import { createLatencyRecorder, type LatencyRecorder } from './upkeep/status/latency.ts'
import { createPulse } from './upkeep/status/pulse.ts'
import { recordHistory } from './upkeep/status/record-history.ts'
import { recordTraffic } from './upkeep/status/record-traffic.ts'
import { reportStatus } from './upkeep/status/report-status.ts'
import { createIdentityNews, type IdentityNews } from './upkeep/stream/identity-news.ts'
import { createMainStream } from './upkeep/stream/main-stream.ts'
import { countTimelineItems, createReplaying, type Replaying } from './upkeep/stream/replaying.ts'
import { streamFilters } from './upkeep/stream/stream-filters.ts'

const FILTER_CHANGES = new Set([
  'follow',
  'unfollow',
  'member-added',
  'member-removed',
  'actor-removed',
])

const port = parentPort!

try {
  const { config } = workerData as { config: Config }
  run(config, await loadIngestFeatures(), await loadRowsFeatures())
  storeCompiledCode()
  releaseUnusedMemory({ alsoRelease: trimMalloc })
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  tell({ kind: 'refused', message: error.message, hint: error.hint })
}

function tell(message: IngestMessage): void {
  port.postMessage(message)
}

function run(
  config: Config,
  features: readonly IngestFeature[],
  ofRows: readonly RowsFeature[],
): void {
  letOthersGoFirst()
  const core = createCore(config, aboutAllOf(features, config), ofRows)
  const { actors, db, writer, log, now, diskSpace, traffic } = core
  const [latency, lines] = [createLatencyRecorder(), createLines(port)]
  const checkpoints = watchedCheckpoints(core, core.watchdog)
  core.snapshots.checkpointBy(() => checkpoints.tend())

  const replaying = createReplaying(config, {
    actors,
    db,
    writer,
    log,
    now,
    writeRetry: diskSpace,
    streamStatus: () => consumer.status(),
    traffic,
    checkpoint: () => checkpoints.tend(),
    wakeBackfill: () => backfill.wake(),
  })
  core.tendLog = () => checkpoints.tend()
  const ofFeatures = features.flatMap((feature) => feature.start?.(config, core) ?? [])
  const mirrors = mirrorsOf(ofFeatures)
  const background = createBackground(config, core, { checkpoints, replaying, lines, mirrors })
  const { backfill, identityNews, labels, resolver } = background
  core.onPublished = (changes, entries) => {
    core.counts.add('timelineWrites', 'items', entries)
    identityNews.ofHidden(changes)
    for (const ofFeature of ofFeatures) ofFeature.onPublished?.(changes)
    const isFiltered = config.indexScope === 'authors' || core.streamLevel > 0
    if (isFiltered && changes.some(({ kind }) => FILTER_CHANGES.has(kind))) {
      consumer.setFilters(streamFilters(config.indexScope, actors, config.trustedVerifiers))
    }
  }

  core.wakeJobs = () => backfill.wake()
  core.newcomers = () => newcomersAmong(backfill.coldStarts(), actors)
  core.applyBatch = async (received, onApplied = () => undefined) => {
    let batch = received
    for (const { beforeBatch } of ofFeatures) if (beforeBatch) batch = await beforeBatch(batch)
    const { events, gaps, cursor, isBeside = false } = batch
    const written = isBeside ? { events, gaps } : { events, gaps, cursor }
    const outcome = await diskSpace.retry(() => commitBatch(writer, written))
    if (!outcome) return
    countBatch(core.counts, batch, outcome)
    identityNews.ofEvents(batch.events)
    for (const ofFeature of ofFeatures) ofFeature.onBatch?.(batch)
    onApplied()
    await checkpoints.tend()
    await core.giveWay.rest()
  }
  const apply = (batch: StreamBatch) =>
    core.applyBatch(batch, () => {
      replaying.noteBatch(batch)
      latency.record(now() - batch.receivedAtMs)
      core.pace.count(batch.events.length)
    })
  const consumer = beginStream(config, features, {
    db,
    writer,
    now,
    log,
    writeRetry: diskSpace,
    createStream: () => mainStreamOf(ofFeatures)?.(apply) ?? createMainStream(config, core, apply),
    async onApplied(events, outcome) {
      countBatch(core.counts, { events }, outcome)
      core.pace.count(events.length)
      await checkpoints.tend()
      await core.giveWay.rest()
    },
  })
  const answers = createAnswers(core, config, {
    ...background,
    checkpoints,
    ofFeatures: handlersOf(features),
    calls: callsOf(ofFeatures),
    operations: operationsOf(features),
    countsSeats: ofFeatures.some(({ countsSeats }) => countsSeats === true),
  })
  const upkeep = createUpkeep(config, core, {
    consumer,
    latency,
    lines,
    checkpoints,
    backfill,
    resolver,
  })

  async function stop(): Promise<void> {
    for (const item of [...upkeep, diskSpace, core.watchdog]) item.stop()
    await consumer.stop()
    await allEnded(diskSpace, [backfill, labels, replaying, ...ofFeatures])
    diskSpace.ifThereIsSpace(() => writer.commit((ctx) => endRun(ctx.db)))
    diskSpace.ifThereIsSpace(() => core.snapshots.finish())
    await checkpoints.stop()
    db.close()
    lines.close()
  }

  lines.listen({ ...answers, onStop: () => void stop() })
  consumer.start()
  const jobs = bearFullDisk({ writer, diskSpace, now, wakeBackfill: () => backfill.wake() })
  jobs.begin(() => backfill.start())
  replaying.start()
  labels.start()
  const memory = Object.assign({}, ...ofFeatures.map((ofFeature) => ofFeature.memory))
  tell({ kind: 'ready', memory: { ...core.handles, features: memory } })
}

/** Ends all of them without waiting for disk space. */
function allEnded(
  diskSpace: Core['diskSpace'],
  all: readonly ({ stop?(): Promise<void> | void } | undefined)[],
) {
  return Promise.all(all.map((item) => item?.stop && diskSpace.ended(async () => item.stop?.())))
}

/** Handlers of the serving threads' requests, for members and for the operator. */
function createAnswers(
  core: Core,
  { maxMembers }: Config,
  parts: {
    backfill: Backfill
    labels: Labels
    checkpoints: Checkpoints
    identityNews: IdentityNews
    ofFeatures: RequestHandlers
    calls: IngestCalls
    operations: Operations
    /** Seats are counted elsewhere. */
    countsSeats: boolean
  },
) {
  const { backfill, identityNews, labels, checkpoints, ofFeatures, calls, operations } = parts
  const writing = {
    writer: core.writer,
    diskSpace: core.diskSpace,
    wakeBackfill: () => backfill.wake(),
  }
  return {
    answer: createWriterRequests({
      ...writing,
      labels,
      ofFeatures,
      calls,
      maxMembers: parts.countsSeats ? 0 : maxMembers,
      namedMembers: () => core.namedMembers,
      cameFrom: core.coldStarts.cameFrom,
      onSeatsGivenUp: (count) =>
        core.log.info({ count }, 'member limit reached: evicted members that came only once'),
      onIdentityChanged: (did) => identityNews.of([did]),
      openTimeline: core.openTimeline,
    }),
    operate: createOperatorRequests({
      ...writing,
      ofFeatures: operations,
      tendLog: () => checkpoints.tend(),
    }),
  }
}

/** Periodic work beside the stream. */
function createUpkeep(
  config: Config,
  core: Core,
  parts: {
    consumer: BegunStream
    latency: LatencyRecorder
    lines: Lines
    checkpoints: Checkpoints
  } & Pick<ReturnType<typeof createBackground>, 'backfill' | 'resolver'>,
): { stop(): void }[] {
  const { counts, db, handles, log, memory, now, diskSpace, writer } = core
  const { backfill, checkpoints, consumer, latency, lines } = parts
  const { guard, upkeep } = createRetention(config, core, checkpoints)
  const received = recordTraffic({
    ...core,
    current: () => consumer.status(),
    level: () => core.streamLevel,
  })
  return [
    ...upkeep,
    received,
    startHousekeeping({ ...core, settings: config }),
    reportStatus({
      db,
      memory,
      consumer,
      latency,
      counts,
      traffic: received.status,
      pulse: createPulse({ requests: handles.requests, dataDir: config.dataDir, now }),
      coldStarts: () => backfill.coldStarts(),
      disk: guard.look,
      stalls: () => core.watchdog.stalls(),
      tell: lines.tellAll,
      record: recordHistory(writer, now),
      diskSpace,
    }),
    startRemoving({ db, writer, now, log, diskSpace }),
    startSearchIndexing({
      writer,
      diskSpace,
      posts: {
        get maxPosts() {
          return guard.searchedPosts()
        },
      },
      checkpoint: () => checkpoints.tend(),
    }),
    followConfiguredMembers({
      accounts: namedMembers(config.members),
      resolver: parts.resolver,
      onKnown: (dids) => {
        core.namedMembers = dids
        const admitAll = () => writer.commit((ctx) => admit(ctx, dids))
        void diskSpace.retry(admitAll).then(() => backfill.wake())
        lines.tellAll({ kind: 'configured-members', dids })
      },
      log,
    }),
  ]
}

/** Removes data that is too old or no longer needed, and more when space runs out. */
function createRetention(config: Config, core: Core, checkpoints: Checkpoints) {
  const { counts } = core
  const namedMembers = () => core.namedMembers
  const guard = createDiskGuard({
    ...core,
    onceOnly: createOnceOnly({ ...core, namedMembers }),
    settings: config,
    searchedPosts: config.searchedPosts,
    dataDir: config.dataDir,
  })
  // Looks before each retry whether there is room again.
  core.diskSpace.onRetry(() => void guard.look())
  const upkeep = [
    startRetaining({
      ...core,
      guard,
      checkpoint: () => checkpoints.tend(),
      onPruned({ posts, likes, reposts }) {
        for (const [what, count] of Object.entries({ posts, likes, reposts })) {
          counts.add('pruned', what, count)
        }
      },
    }),
    forgetAwayMembers({ ...core, ...config }),
  ]
  return { guard, upkeep }
}

/** Work that sends requests to other people's servers. */
function createBackground(
  config: Config,
  core: Core,
  parts: {
    checkpoints: Checkpoints
    replaying: Replaying
    lines: Pick<Lines, 'tellAll'>
    mirrors: RepoMirrors | undefined
  },
) {
  const { actors, db, writer, log, now } = core
  const { replaying, lines, checkpoints } = parts
  const { fetch, lookupFor, resolver } = createOutside(config, core)
  const shared = { db, writer, resolver, fetch, log, now }
  const backfill = createBackfill({
    ...shared,
    coldStarts: core.coldStarts,
    mirrors: parts.mirrors,
    replays: replaying.running,
    tendLog: checkpoints.tend,
    counts: core.counts,
    isCatchingUp: core.pace.isCatchingUp,
    timelineItems: (uid, limit) => countTimelineItems(core, uid, limit),
    limits: { recentMs: config.replayHours * HOUR_MS, timelineTarget: config.timelineTarget },
  })
  const labels = createLabels({
    ...shared,
    actors,
    lookupFor,
    writeRetry: core.diskSpace,
    onWork: () => backfill.wake(),
    onApplied: (changed) => core.counts.add('labels', 'kept', changed),
    onDropped: (reason) => core.counts.add('labels-dropped', reason),
    configured: config.labelers,
  })
  const identityNews = createIdentityNews({ tellAll: lines.tellAll, resolver, actors })
  return { backfill, identityNews, labels, resolver }
}

function newcomersAmong(
  coldStarts: ReturnType<Backfill['coldStarts']>,
  actors: Core['actors'],
): number[] {
  return coldStarts
    .filter(({ stage }) => stage !== 'done')
    .map(({ did }) => actors.uidOf(did))
    .filter((uid) => uid !== 0)
}

function admit(ctx: IndexContext, dids: string[]): void {
  for (const did of dids) memberSeen(ctx, did, null)
}
