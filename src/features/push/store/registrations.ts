// Members' devices registered for pushes, the signing key, and the last notification pushed. At most
// MAX_DEVICES per member; the oldest is evicted.

import type { Db, WriteDb } from '../../../data/store/db.ts'
import { perDatabase } from '../../../data/store/per-database.ts'

const MAX_DEVICES = 10

export type PushDevice = { endpoint: string; p256dh: string; auth: string }
export type PushRegistration = PushDevice & { uid: number; appId: string; createdAt: number }
export type PushState = { publicKey: string; privateKey: string; told: number }

/** A notification for an account with a device. */
export type NewNotification = {
  id: number
  uid: number
  reason: number
  author: number
  sortAt: number
}

const statements = perDatabase((db) => ({
  put: db.prepare<[PushRegistration]>(
    `INSERT INTO push_registrations (uid, endpoint, p256dh, auth, app_id, created_at)
      VALUES (@uid, @endpoint, @p256dh, @auth, @appId, @createdAt)
      ON CONFLICT DO UPDATE SET p256dh = excluded.p256dh, auth = excluded.auth,
        app_id = excluded.app_id, created_at = excluded.created_at`,
  ),
  trim: db.prepare<[{ uid: number; most: number }]>(
    `DELETE FROM push_registrations WHERE uid = @uid AND endpoint NOT IN
      (SELECT endpoint FROM push_registrations WHERE uid = @uid ORDER BY created_at DESC LIMIT @most)`,
  ),
  remove: db.prepare<[number, string]>(
    'DELETE FROM push_registrations WHERE uid = ? AND endpoint = ?',
  ),
  of: db.prepare<[number], PushRegistration>(
    `SELECT uid, endpoint, p256dh, auth, app_id AS appId, created_at AS createdAt
      FROM push_registrations WHERE uid = ?`,
  ),
  state: db.prepare<[], PushState>(
    'SELECT public_key AS publicKey, private_key AS privateKey, told FROM push_state',
  ),
  begin: db.prepare<[string, string]>(
    `INSERT OR IGNORE INTO push_state (id, public_key, private_key, told)
      VALUES (1, ?, ?, (SELECT coalesce(max(id), 0) FROM notifications))`,
  ),
  tell: db.prepare<[number]>('UPDATE push_state SET told = max(told, ?)'),
  newest: db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM notifications').pluck(),
  after: db.prepare<[number, number, number], NewNotification>(
    `SELECT n.id, n.uid, n.reason, n.author, n.sort_at AS sortAt FROM notifications n
      WHERE n.id > ? AND n.id <= ? AND n.uid IN (SELECT uid FROM push_registrations)
      ORDER BY n.id LIMIT ?`,
  ),
}))

/** Registering a device again replaces its keys. */
export function putPushRegistration(db: WriteDb, registration: PushRegistration): void {
  statements(db).put.run(registration)
  statements(db).trim.run({ uid: registration.uid, most: MAX_DEVICES })
}

export function deletePushRegistration(db: WriteDb, uid: number, endpoint: string): void {
  statements(db).remove.run(uid, endpoint)
}

export function pushRegistrationsOf(db: Db, uid: number): PushRegistration[] {
  return statements(db).of.all(uid)
}

/** Undefined before the first push. */
export function findPushState(db: Db): PushState | undefined {
  return statements(db).state.get()
}

/** Skips existing notifications; keeps an existing key. */
export function beginPushes(db: WriteDb, keys: Omit<PushState, 'told'>): void {
  statements(db).begin.run(keys.publicKey, keys.privateKey)
}

export function setPushesNotified(db: WriteDb, id: number): void {
  statements(db).tell.run(id)
}

/** The latest id; later rows have larger ids. */
export function newestNotification(db: Db): number {
  return statements(db).newest.get() ?? 0
}

/** For members with devices, in order of arrival. */
export function notificationsAfter(
  db: Db,
  { after, to, limit }: { after: number; to: number; limit: number },
): NewNotification[] {
  return statements(db).after.all(after, to, limit)
}
