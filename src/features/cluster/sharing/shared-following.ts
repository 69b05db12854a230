// Members' timelines by arrival (`following:`) as a serving thread reads them when several nodes share them:
// from the log on the engine, whichever node writes it. Entries missing in this node's rows are not shown,
// nor anything after them, so a reader who has read up to a number has read everything up to it.

import { unavailable } from '../../../base/atproto/xrpc-error.ts'
import type { Logger } from '../../../base/obs/log.ts'
import { LruMap } from '../../../base/util/lru.ts'
import type { Db } from '../../../data/store/db.ts'
import { latestStreamTimeUs } from '../../../data/store/stream/stream-cursors.ts'
import type { UpToDate } from '../../timelines/http/shared-by-nodes.ts'
import type { FollowingLogs } from '../../timelines/sources/logged-source.ts'
import type { ArrivalRange } from '../../timelines/store/read/arrivals.ts'
import type { LoggedItems } from '../../timelines/store/read/logged-items.ts'
import { bucketOf } from '../engine/buckets.ts'
import type { FollowingEpochs } from '../engine/following-epochs.ts'
import type { FollowingLog, LoggedEntry } from '../engine/following-log.ts'
import { createEngineWaits } from './engine-waits.ts'

/** By DID; `upToDate` throws an XRPCError 503 if the engine never has answered for one of these members. */
type SharedFollowing = FollowingLogs & UpToDate & { fallbacks(): number }

type Dependencies = {
  /** @throws EngineUnavailableError */
  cluster: () => Promise<{ following: FollowingLog; epochs: FollowingEpochs }>
  db: Db
  items: LoggedItems
  log: Pick<Logger, 'warn' | 'error'>
}

type Slice = { entries: LoggedEntry[]; isEnd: boolean }

const MAX_TIPS = 10_000
/** Of the newest entries, this many may still be on their way to this node. */
const NEWEST = 64
/** Readers for which there is no data yet wait longer. */
const FIRST_WAITED_FOR_MS = 3_000
/** Maximum difference between the clocks of nodes and the stream. */
const CLOCKS_DIFFER_MS = 10_000

export function createSharedFollowing(parts: Dependencies): SharedFollowing {
  const tips = new LruMap<string, number>(MAX_TIPS)
  const messages = {
    away: 'the engine is unreachable: members’ timelines by arrival can’t continue',
    failed: 'a member’s timeline could not be read from the engine',
  }
  const waits = createEngineWaits({ ...parts, ...messages })
  const patient = createEngineWaits({ ...parts, ...messages, waitedForMs: FIRST_WAITED_FOR_MS })

  async function slice(did: string, range: ArrivalRange): Promise<Slice> {
    const { following, epochs } = await parts.cluster()
    const committed = await epochs.committed(bucketOf(did))
    const found = await following.read({ ...range, member: did }, committed)
    return settled(parts, found, range.isForward)
  }

  async function refresh(did: string): Promise<void> {
    const range = { at: Number.MAX_SAFE_INTEGER, isForward: false, limit: NEWEST }
    const { entries } = await slice(did, range)
    tips.set(did, Math.max(tips.get(did) ?? 0, entries[0]?.number ?? 0))
  }

  return {
    async upToDate(dids) {
      if (dids.length === 0) return true
      const isFirst = dids.some((did) => tips.get(did) === undefined)
      const isDone = await (isFirst ? patient : waits).inTime(async () => {
        await Promise.all(dids.map(refresh))
      })
      if (dids.some((did) => tips.get(did) === undefined)) {
        throw unavailable('Too few of the servers that store timelines answer: retry soon')
      }
      return isDone
    },
    tipOf: (did) => tips.get(did),
    async read(did, range) {
      let found: Slice | undefined
      await waits.inTime(async () => {
        found = await slice(did, range)
      })
      if (!found) throw unavailable('The engine does not answer')
      return found
    },
    fallbacks: () => waits.fallbacks() + patient.fallbacks(),
  }
}

/**
 * Cuts a slice before the first entry that is not here yet. Only entries newer than this node's
 * position in the stream may be missing.
 */
function settled(
  { db, items }: Dependencies,
  { entries, isEnd }: Slice,
  isForward: boolean,
): Slice {
  const readUpTo = latestStreamTimeUs(db) / 1_000 - CLOCKS_DIFFER_MS
  const late = entries.filter(({ at }) => at >= readUpTo)
  if (late.length === 0) return { entries, isEnd }
  const here = items.byUri(late.map(({ uri }) => uri))
  const missing = late.filter(({ uri }) => !here.has(uri)).map(({ number }) => number)
  if (missing.length === 0) return { entries, isEnd }
  const first = Math.min(...missing)
  const known = entries.filter(({ number }) => number < first)
  return { entries: known, isEnd: isEnd || isForward }
}
