// Connects the fetching of earlier counts (ingest/upkeep/counts/) with the ingest thread: the members whose
// timelines are scanned, and the access to the public AppView.

import type { Config } from '../../../base/config/config.ts'
import type { Counts } from '../../../base/obs/counts.ts'
import type { Logger } from '../../../base/obs/log.ts'
import type { ColdStartProgress } from '../../../bridge/messages.ts'
import { forgetAllSeedCounts } from '../../../data/store/counts/seed-counts.ts'
import type { Db } from '../../../data/store/db.ts'
import { allMembers } from '../../../data/store/members/members.ts'
import type { WriteRetry } from '../../../data/store/write-retry.ts'
import { createGuardedFetch } from '../../../sources/identity/guarded-fetch.ts'
import type { Memory } from '../../indexing/memory/memory.ts'
import type { Writer } from '../../indexing/writer.ts'
import { countFetches } from '../status/count-work.ts'
import { type Counting, createCounting } from './counting.ts'

/**
 * Undefined if the operator wants to depend on no other server: then counts made by others are
 * dropped, too.
 */
export function createSeedCounting(
  config: Config,
  parts: {
    db: Db
    writer: Writer
    memory: Memory
    counts: Counts
    coldStarts: () => ColdStartProgress[]
    room: WriteRetry
    log: Logger
    now: () => number
  },
): Counting | undefined {
  const { allowPrivateHosts, fallbackAppview: origin } = config
  const { db, writer, memory, counts, coldStarts, room, log, now } = parts
  if (origin === 'none') {
    void room.retry(() => writer.commit((ctx) => forgetAllSeedCounts(ctx.db)))
    return undefined
  }
  const { actors, timelines } = memory
  const guarded = createGuardedFetch({ allowPrivateHosts, trustedOrigins: [origin], log })
  return createCounting({
    db,
    writer,
    actors,
    origin,
    log,
    now,
    scope: config.indexScope,
    writeRetry: room,
    fetch: countFetches(guarded, counts),
    members: () => allMembers(db).flatMap(({ uid }) => (timelines.isOpen(uid) ? [uid] : [])),
    newcomers: () =>
      coldStarts()
        .filter(({ stage }) => stage !== 'done')
        .map(({ did }) => actors.uidOf(did))
        .filter((uid) => uid !== 0),
    timelineItems: (member) =>
      timelines.read(member, undefined, config.timelineTarget)?.entries.map(({ item }) => item) ??
      [],
  })
}
