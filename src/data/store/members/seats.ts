// Which memberships are evicted first when the member limit is reached or the disk is short: accounts that
// visited once, never returned, and store nothing here. They lose nothing by it, and accounts created by the
// thousand keep no real member out. Returning is cheap too: to make room for a new member, accounts also
// count that follow no one or stayed away for a month, and store nothing either.

import { DAY_MS, MINUTE_MS } from '../../../base/util/durations.ts'
import type { Db } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { countMembers } from './members.ts'

/** Requests within this long of the first count as one visit. */
export const ONE_VISIT_MS = 10 * MINUTE_MS

type Seat = { uid: number; did: string }

type Question = { limit: number; unseenSince: number; except: string }

const AWAY_MS = 30 * DAY_MS

/** Rows with a member's private data that is in no repository. */
const PRIVATE = [
  ...['mutes', 'list_mutes', 'thread_mutes', 'bookmarks', 'drafts', 'preferences'],
  'activity_subscriptions',
].map((table) => `SELECT 1 FROM ${table} WHERE uid = m.uid`)
const SETTINGS =
  'SELECT 1 FROM notification_settings WHERE uid = m.uid AND (priority != 0 OR preferences IS NOT NULL)'

const ONCE = `m.last_seen_at - m.joined_at < ${ONE_VISIT_MS}`

const statements = perDatabase((db) => ({
  once: idleWhere(db, ONCE),
  idle: idleWhere(
    db,
    `(${ONCE} OR a.follows_count = 0 OR m.last_seen_at < :unseenSince - ${AWAY_MS})`,
  ),
}))

function idleWhere(db: Db, isIdle: string) {
  return db.prepare<[Question], Seat>(
    `SELECT m.uid, a.did FROM members m JOIN actors a ON a.uid = m.uid
      WHERE ${isIdle} AND m.last_seen_at <= :unseenSince
        AND a.did NOT IN (SELECT value FROM json_each(:except))
        AND NOT EXISTS (SELECT 1 FROM admissions WHERE did = a.did)
        ${[...PRIVATE, SETTINGS].map((rows) => `AND NOT EXISTS (${rows})`).join('\n        ')}
      ORDER BY m.last_seen_at, m.uid LIMIT :limit`,
  )
}

/**
 * Members that visited once, least recently seen first. Excludes accounts that the operator added
 * or that used an invite, the DIDs in `except`, and accounts that store anything here or returned.
 */
export function seatsOfOnce(
  db: Db,
  options: { limit: number; except: readonly string[]; unseenSince?: number },
): Seat[] {
  const { limit, except, unseenSince = Number.MAX_SAFE_INTEGER } = options
  return statements(db).once.all({ limit, unseenSince, except: JSON.stringify(except) })
}

/**
 * The seats to evict to admit one more member; undefined if there are too few.
 * @param maxMembers - 0: no limit
 */
export function seatsForOneMore(
  db: Db,
  { maxMembers, except, now }: { maxMembers: number; except: readonly string[]; now: number },
): Seat[] | undefined {
  if (maxMembers === 0) return []
  const missing = countMembers(db) + 1 - maxMembers
  if (missing <= 0) return []
  const question = { limit: missing, unseenSince: now, except: JSON.stringify(except) }
  const seats = statements(db).idle.all(question)
  return seats.length < missing ? undefined : seats
}
