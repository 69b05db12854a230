// Which memberships are given up first where there are as many members as may be, or the disk is short: those
// of accounts that came once, never again, and keep nothing here. Nobody loses anything by it, and accounts that
// were made by the thousand keep no person out. To come again is cheap, too: for a place those count alike who follow
// nobody, or stayed away for a month, and keep nothing either.

import { DAY_MS, MINUTE_MS } from '../../base/util/durations.ts'
import type { Db } from './db.ts'
import { countMembers } from './members.ts'
import { perDatabase } from './per-database.ts'

/** All requests within so long of the first count as having come once. */
export const ONE_VISIT_MS = 10 * MINUTE_MS

type Seat = { uid: number; did: string }

type Question = { limit: number; unseenSince: number; except: string }

const AWAY_MS = 30 * DAY_MS

/** Rows by which a member keeps something here and in no repository. */
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
 * Those who came once, whoever was seen longest ago first. Never whom the operator added, whoever came by an
 * invite, and nobody in `except`, DIDs; nor who keeps something here, or came again.
 */
export function seatsOfOnce(
  db: Db,
  options: { limit: number; except: readonly string[]; unseenSince?: number },
): Seat[] {
  const { limit, except, unseenSince = Number.MAX_SAFE_INTEGER } = options
  return statements(db).once.all({ limit, unseenSince, except: JSON.stringify(except) })
}

/**
 * What has to be given up so that one more can come in; undefined where that is not to be had.
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
