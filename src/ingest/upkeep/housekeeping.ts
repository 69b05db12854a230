// Periodic work on the ingest thread: closes the timelines of members who are away; prunes, a little at a
// time, tombstones older than any stream can replay and expired labels; looks handles up again; and rewrites the snapshots when the journal has grown.

import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/obs/log.ts'
import { DAY_MS, MINUTE_MS } from '../../base/util/durations.ts'
import type { Db } from '../../data/store/db.ts'
import { allMembers } from '../../data/store/members/members.ts'
import { pruneLabels } from '../../data/store/moderation/labels.ts'
import { pruneUnfollows } from '../../data/store/records/keyless-follows.ts'
import { pruneTombstones } from '../../data/store/records/tombstones.ts'
import type { WriteRetry } from '../../data/store/write-retry.ts'
import type { Memory } from '../indexing/memory/memory.ts'
import type { Writer } from '../indexing/writer.ts'
import { createHandleChecks } from './members/recheck-handles.ts'
import type { SnapshotSaver } from './memory/snapshots.ts'

const INTERVAL_MS = MINUTE_MS
/** Streams replay 36 hours; twice that, for hosts whose clock or window is off. */
const TOMBSTONE_AGE_MS = 3 * DAY_MS
const PRUNED_AT_ONCE = 5_000
/** Follow changes that make a new snapshot worthwhile. */
const SNAPSHOT_AFTER = 50_000

export function startHousekeeping(options: {
  db: Db
  writer: Pick<Writer, 'commit'>
  memory: Pick<Memory, 'actors' | 'timelines'>
  snapshots: Pick<SnapshotSaver, 'startIfWorth'>
  diskSpace: Pick<WriteRetry, 'ifThereIsSpace'>
  settings: Pick<Config, 'timelineIdleDays'>
  now: () => number
  log: Pick<Logger, 'debug'>
}): { stop(): void } {
  const { db, writer, memory, now, log } = options
  const { timelineIdleDays } = options.settings
  const checkHandles = createHandleChecks(memory.actors)
  const timer = setInterval(() => void options.diskSpace.ifThereIsSpace(run), INTERVAL_MS)

  function run(): void {
    const closed = closeIdleTimelines(db, memory, now() - timelineIdleDays * DAY_MS)
    const goneBy = now() - TOMBSTONE_AGE_MS
    const pruned = writer.commit((ctx) => pruneTombstones(ctx.db, goneBy, PRUNED_AT_ONCE))
    const apart = writer.commit((ctx) => pruneUnfollows(ctx.db, goneBy, PRUNED_AT_ONCE))
    const expired = writer.commit((ctx) => pruneLabels(ctx.db, now() - DAY_MS, PRUNED_AT_ONCE))
    const handles = writer.commit((ctx) => checkHandles(ctx.db, now()))
    options.snapshots.startIfWorth(SNAPSHOT_AFTER)
    const done = { closed, pruned, apart, expired, handles }
    if (Object.values(done).some((count) => count > 0)) log.debug(done, 'housekeeping')
  }

  return { stop: () => clearInterval(timer) }
}

function closeIdleTimelines(
  db: Db,
  { timelines }: Pick<Memory, 'timelines'>,
  since: number,
): number {
  let closed = 0
  for (const { uid, last_seen_at } of allMembers(db)) {
    if (!timelines.isOpen(uid) || (last_seen_at ?? 0) >= since) continue
    timelines.close(uid)
    closed++
  }
  return closed
}
