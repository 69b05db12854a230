// Joins what asks for earlier counts (counting/) with the ingest thread: whose timelines are looked
// through, and the way to the public AppView.

import type { ColdStartProgress } from '../bridge.ts'
import type { Config } from '../config.ts'
import { type Counting, createCounting } from '../counting/counting.ts'
import { createGuardedFetch } from '../identity/guarded-fetch.ts'
import type { Memory } from '../indexing/memory.ts'
import type { Counts } from '../obs/counts.ts'
import type { Logger } from '../obs/log.ts'
import type { Db } from '../store/db.ts'
import { forgetAllEarlierCounts } from '../store/earlier-counts.ts'
import { allMembers } from '../store/members.ts'
import type { Patience } from '../store/patience.ts'
import { transact } from '../store/transact.ts'
import { countFetches } from './count-work.ts'

/** Undefined where the operator wants to depend on nobody: then what others counted goes, too. */
export function createEarlierCounting(
  config: Config,
  parts: {
    db: Db
    memory: Memory
    counts: Counts
    coldStarts: () => ColdStartProgress[]
    room: Patience
    log: Logger
    now: () => number
  },
): Counting | undefined {
  const { allowPrivateHosts, fallbackAppview: origin } = config
  const { db, memory, counts, coldStarts, room, log, now } = parts
  if (origin === 'none') {
    void room.patiently(() => transact(db, () => forgetAllEarlierCounts(db)))
    return undefined
  }
  const { actors, timelines } = memory
  const guarded = createGuardedFetch({ allowPrivateHosts, trustedOrigins: [origin], log })
  return createCounting({
    ...{ db, actors, origin, log, now },
    scope: config.indexScope,
    patience: room,
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
