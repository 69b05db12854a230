// Members' notification settings, and how far they have seen their notifications.

import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { idList } from '../read/id-list.ts'
import { invalidationsOf } from '../transact.ts'

export type NotificationSettings = {
  /** Milliseconds. Older notifications date from before the account was a member. */
  since: number | null
  seen_at: number | null
  /** 1: the backlog from before was built. */
  has_backlog: number
  /** 1: only from accounts that the member follows. */
  priority: number
  /** JSON, or null if none were set. */
  preferences: string | null
}

const statements = perDatabase((db) => ({
  find: db.prepare<[number], NotificationSettings>(
    'SELECT since, seen_at, has_backlog, priority, preferences FROM notification_settings WHERE uid = ?',
  ),
  preferencesOf: db.prepare<[string], { uid: number; preferences: string | null }>(
    `SELECT s.uid, s.preferences FROM json_each(?) ids
      CROSS JOIN notification_settings s ON s.uid = ids.value`,
  ),
  begin: db.prepare<[number, number]>(
    `INSERT INTO notification_settings (uid, since) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET since = coalesce(since, excluded.since)`,
  ),
  setBacklog: db.prepare<[number]>(
    'UPDATE notification_settings SET has_backlog = 1 WHERE uid = ?',
  ),
  see: db.prepare<[number, number]>(
    `INSERT INTO notification_settings (uid, seen_at) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET seen_at = max(coalesce(seen_at, 0), excluded.seen_at)`,
  ),
  setPriority: db.prepare<[number, number]>(
    `INSERT INTO notification_settings (uid, priority) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET priority = excluded.priority`,
  ),
  prioritizing: db
    .prepare<[string], number>(
      `SELECT s.uid FROM json_each(?) ids CROSS JOIN notification_settings s ON s.uid = ids.value
        WHERE s.priority = 1`,
    )
    .pluck(),
  invalidations: invalidationsOf(db),
  setPreferences: db.prepare<[number, string]>(
    `INSERT INTO notification_settings (uid, preferences) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET preferences = excluded.preferences`,
  ),
}))

export function findNotificationSettings(db: Db, uid: number): NotificationSettings | undefined {
  return statements(db).find.get(uid)
}

/** As JSON, by account; accounts without a settings row are omitted. */
export function storedPreferences(db: Db, uids: Iterable<number>): Map<number, string | null> {
  const rows = statements(db).preferencesOf.all(idList(uids))
  return new Map(rows.map(({ uid, preferences }) => [uid, preferences]))
}

/** The accounts among these that only want notifications from accounts they follow. */
export function prioritizing(db: Db, uids: Iterable<number>): number[] {
  return statements(db).prioritizing.all(idList(uids))
}

/** Starts notifications for the member (`since`); the first start counts. */
export function beginNotifications(db: WriteDb, uid: number, since: number): void {
  statements(db).begin.run(uid, since)
}

export function setHasBacklog(db: WriteDb, uid: number): void {
  statements(db).setBacklog.run(uid)
}

/** Never lowers the time. */
export function raiseNotificationsSeen(db: WriteDb, uid: number, at: number): void {
  statements(db).see.run(uid, at)
}

export function setNotificationPriority(db: WriteDb, uid: number, isOn: boolean): void {
  const { setPriority, invalidations } = statements(db)
  setPriority.run(uid, isOn ? 1 : 0)
  invalidations.add(INVALIDATION.actor, uid)
}

export function setNotificationPreferences(db: WriteDb, uid: number, json: string): void {
  statements(db).setPreferences.run(uid, json)
}
