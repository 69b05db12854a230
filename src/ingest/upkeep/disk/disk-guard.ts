// Watches the disk space and decides what to give up when it runs out (levels.ts): switches the search index
// and the intake of strangers' records, and provides the current retention times.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../../base/obs/log.ts'
import type { DiskStatus } from '../../../bridge/messages.ts'
import { type Db, FILE_NAME } from '../../../data/store/db.ts'
import { readDiskUse } from '../../../data/store/files/disk-use.ts'
import {
  beginProbe,
  endProbe,
  fileSize,
  limitFileSize,
} from '../../../data/store/files/file-size.ts'
import { REMOVED } from '../../../data/store/files/trouble.ts'
import {
  giveUpPostIndex,
  isPostIndexGivenUp,
  rebuildPostIndex,
} from '../../../data/store/search/give-up.ts'
import type { Writer } from '../../indexing/writer.ts'
import type { DiskSpace } from './disk-space.ts'
import {
  capOf,
  isSearchGivenUp,
  isTight,
  nextLevel,
  retentionDays,
  stateOfLevel,
  takesStrangers,
} from './levels.ts'
import type { OnceOnly } from './once-only.ts'

const MB = 1_000_000
/** With this much free, the next write can be expected to fit. */
const SPACE_AT_LEAST = 16 * MB
/** With less free, a write of this size is tried now and then: there may be no other writes. */
const PROBE = { bytes: MB, everyMs: 15_000 }
/** Between two levels, so that the freed space can show. */
const MAX_WAIT_MS = 30_000

type DiskSettings = {
  diskCapMb: number
  diskReserveMb: number
  keepStrangersDays: number
  keepNeighboursDays: number
}

export type DiskGuard = {
  /** Called once a second. */
  look(): DiskStatus
  /** Current retention times; Infinity: for ever. */
  retention(): { strangersMs: number; neighboursMs: number }
  /** A pass over all posts is done, with the retention time of its start. */
  passDone(strangersMs: number): void
  /** Number of searchable posts; 0 while search is given up. */
  searchedPosts(): number
  /** Whether anything is given up because space is short. */
  isTight(): boolean
}

export function createDiskGuard(options: {
  db: Db
  writer: Pick<Writer, 'commit' | 'takeStrangers'>
  diskSpace: DiskSpace
  settings: DiskSettings
  searchedPosts: number
  /** Given up before anything else; omitted: nothing. */
  onceOnly?: OnceOnly
  dataDir: string
  now: () => number
  log: Pick<Logger, 'warn' | 'info'>
}): DiskGuard {
  const { db, writer, onceOnly, diskSpace, searchedPosts, dataDir, now, log } = options
  const { diskCapMb, diskReserveMb, keepStrangersDays, keepNeighboursDays } = options.settings
  let level = 0
  let isWorkDone = true
  let changedAt = -Infinity
  let isIndexStored = !isPostIndexGivenUp(db)
  const isSpaceSeen = lookForSpace(options)
  const days = { strangersDays: keepStrangersDays, neighboursDays: keepNeighboursDays }
  if (diskCapMb > 0) limitFileSize(db, diskCapMb * MB)

  const retention = () => retentionDays(level, days)

  function change(to: number, status: Omit<DiskStatus, 'state'>): void {
    const figures = { ...status, from: stateOfLevel(level), to: stateOfLevel(to) }
    if (to > level) log.warn(figures, 'the disk is getting full: dropping more data')
    else log.info(figures, 'the disk has more room: dropping less data')
    level = to
    changedAt = now()
    // Only levels that prune have to wait for a pass.
    isWorkDone = to < 2
  }

  /** Both need some space, so they may have to be retried. */
  function updateIndex(): void {
    const isWanted = !isSearchGivenUp(level)
    if (isWanted === isIndexStored) return
    const write = isWanted ? rebuildPostIndex : giveUpPostIndex
    if (diskSpace.ifThereIsSpace(() => writer.commit((ctx) => write(ctx.db))))
      isIndexStored = isWanted
  }

  return {
    look() {
      checkDatabaseIsThere(dataDir)
      const { freeBytes, databaseBytes, logBytes } = readDiskUse(dataDir)
      const { live } = fileSize(db)
      const capBytes = capOf(
        { capBytes: diskCapMb * MB, reserveBytes: diskReserveMb * MB },
        { fileBytes: databaseBytes + logBytes, freeBytes },
      )
      const status = { usedBytes: live, capBytes, freeBytes }
      const isFirst = onceOnly?.look(isTight(status)) === true && level === 0
      const isSettled = !isFirst && isWorkDone && now() - changedAt >= MAX_WAIT_MS
      const to = nextLevel(level, { ...status, isWorkDone: isSettled })
      if (to !== level) change(to, status)
      updateIndex()
      writer.takeStrangers(takesStrangers(level))
      if (isSpaceSeen({ freeBytes, live, capBytes })) diskSpace.believeSpace()
      return { ...status, state: diskSpace.isFull() ? 'full' : stateOfLevel(level) }
    },
    retention,
    passDone(strangersMs) {
      if (strangersMs <= retention().strangersMs) isWorkDone = true
    },
    searchedPosts: () => (isSearchGivenUp(level) ? 0 : searchedPosts),
    isTight: () => level > 0,
  }
}

/** Writes to a removed file are lost, and no other error would show it. */
function checkDatabaseIsThere(dataDir: string): void {
  const file = join(dataDir, FILE_NAME)
  if (!existsSync(file)) throw Object.assign(new Error(file), { code: REMOVED })
}

/** @returns whether there is room, by the figures or by trying. */
function lookForSpace({
  writer,
  diskSpace,
}: {
  writer: Pick<Writer, 'commit'>
  diskSpace: DiskSpace
}) {
  let probedAt = -Infinity
  return (use: { freeBytes: number; live: number; capBytes: number }): boolean => {
    if (use.freeBytes >= SPACE_AT_LEAST && use.live < use.capBytes) return true
    if (!diskSpace.isFull() || performance.now() - probedAt < PROBE.everyMs) return false
    probedAt = performance.now()
    // Two transactions: pages taken and freed in the same one are never written.
    return diskSpace.ifThereIsSpace(() => {
      writer.commit(({ db }) => beginProbe(db, PROBE.bytes))
      writer.commit(({ db }) => endProbe(db))
    })
  }
}
