// The parts of the ingest thread on which its work is built (thread.ts), among them the only writable connection.

import { createStreamPace, type StreamBatch } from '@slipstream/jetstream'
import type { Config } from '../base/config/config.ts'
import { pageCacheKib } from '../base/config/memory.ts'
import { createCounts } from '../base/obs/counts.ts'
import { createLogger } from '../base/obs/log.ts'
import { highestRequestShareOf } from '../base/obs/request-counters.ts'
import { type RowsFeature, refuseRows } from '../data/feature.ts'
import { type Db, openWriter } from '../data/store/db.ts'
import { fileState } from '../data/store/files/disk-use.ts'
import type { StreamLevel } from '../data/store/stream/stream-levels.ts'
import { createTraffic } from '../sources/traffic.ts'
import type { MemoryChange } from './indexing/memory/memory-changes.ts'
import { createWriter } from './indexing/writer.ts'
import { createDiskSpace } from './upkeep/disk/disk-space.ts'
import { createGiveWay } from './upkeep/give-way.ts'
import { createMemberRings } from './upkeep/memory/member-rings.ts'
import { loadMemory } from './upkeep/memory/memory.ts'
import { saveSnapshots } from './upkeep/memory/snapshots.ts'
import { createNewcomerBudget } from './upkeep/requests/newcomer-budget.ts'
import { tellLeftOut } from './upkeep/status/left-out.ts'
import { createWatchdog } from './upkeep/watchdog.ts'

/** What is stored about all accounts, not only members, since a feature tells it of anybody. */
export type StoredAboutAll = {
  /** Days for which notifications are stored. 0: only members'. */
  notificationDays?: number
  /** Of the repository, its latest rev, if everybody's is indexed. */
  revs?: boolean
}

/** The store, the memory derived from it, and the writer of both. */
export function createCore(
  config: Config,
  aboutAll: StoredAboutAll,
  ofRows: readonly RowsFeature[],
) {
  const log = createLogger({ level: config.logLevel, name: 'ingest' })
  const now = Date.now
  // Only the writer gets the writable connection; all others get the read-only type.
  const writable = openWriter(config.dataDir, {
    upgradeBackup: config.upgradeBackup,
    cacheKib: pageCacheKib(config),
    onUpgrade: (upgrade) => log.info(upgrade, 'upgrading the database; a copy was made first'),
  })
  const db: Db = writable
  refuseRows(ofRows, config, db)
  const { memory, handles, saved } = loadMemory({ db: writable, config, log })
  const { actors } = memory
  const coldStarts = createNewcomerBudget({ db, now })
  const writer = createWriter({
    db: writable,
    memory,
    coldStarts,
    now,
    onPublished: (changes, entries) => core.onPublished(changes, entries),
    onLeftOut: tellLeftOut(log),
    scope: config.indexScope,
    trustedVerifiers: config.trustedVerifiers,
    notificationDays: aboutAll.notificationDays,
    storesAllRevs: aboutAll.revs === true && config.indexScope === 'network',
  })
  const reserveBytes = config.diskReserveMb * 1_000_000
  const snapshots = saveSnapshots({ ...saved, db, writer, reserveBytes, log })
  const diskSpace = createDiskSpace(log)
  const counts = createCounts()
  const watchdog = createWatchdog({ log, diskSpace, progress: () => fileState(config.dataDir) })
  const giveWay = createGiveWay({
    requestShare: highestRequestShareOf(handles.requests),
    onRested: (ms) => counts.add('rested', 'ms', ms),
  })
  /** DIDs named by the configuration, as far as they are known. */
  const namedMembers: readonly string[] = []
  const core = {
    actors,
    coldStarts,
    counts,
    db,
    giveWay,
    handles,
    log,
    memory,
    namedMembers,
    now,
    pace: createStreamPace(),
    openTimeline: createMemberRings({
      db,
      memory,
      now,
      isOurs: (did): boolean => core.isOurTimeline(did),
    }),
    diskSpace,
    snapshots,
    traffic: createTraffic(),
    watchdog,
    writer,
    /** What the stream leaves out; set by streams/budgeted-stream.ts. */
    streamLevel: 0 as StreamLevel,
    /**
     * Writes a batch of any stream, with its cursor unless the main stream’s holds for it; set by
     * thread.ts.
     */
    async applyBatch(_batch: AnyBatch, _onApplied?: () => void): Promise<void> {},
    /** Whether this node holds the member's timeline; set by a feature that gives them to other nodes. */
    isOurTimeline(_did: string): boolean {
      return true
    },
    /** Keeps the database's log short; set by thread.ts. */
    tendLog: (): Promise<void> | undefined => undefined,
    /** Members (uids) whose timelines are being filled; set by thread.ts. */
    newcomers: (): readonly number[] => [],
    /** Jobs were added; set by thread.ts. */
    wakeJobs(): void {},
    /** Called after each commit that changed memory. */
    onPublished(_changes: readonly MemoryChange[], _entries: number): void {},
  }
  return core
}

/** `isBeside`: of a stream whose cursor is not saved. */
type AnyBatch = StreamBatch & { isBeside?: boolean }

export type Core = ReturnType<typeof createCore>
