// Accounts whose new posts a member is notified of: private state, which is in no repository.
//
// Every post looks up its author's subscribers, and hardly any author has one. So the writer remembers
// candidates: an account that once had a subscriber stays in that set until the process ends.

import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { invalidationsOf } from '../transact.ts'

type ActivitySubscription = { uid: number; post: number; reply: number; created_at: number }

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  put: db.prepare<[number, number, number, number, number]>(
    `INSERT INTO activity_subscriptions (uid, subject, post, reply, created_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET post = excluded.post, reply = excluded.reply`,
  ),
  remove: db.prepare<[number, number]>(
    'DELETE FROM activity_subscriptions WHERE uid = ? AND subject = ?',
  ),
  of: db.prepare<[number, number], ActivitySubscription>(
    `SELECT uid, post, reply, created_at FROM activity_subscriptions
      WHERE subject = ? ORDER BY uid LIMIT ?`,
  ),
  subjects: db.prepare<[], number>('SELECT DISTINCT subject FROM activity_subscriptions').pluck(),
  by: db.prepare<[number], Omit<ActivitySubscription, 'uid'> & { subject: number }>(
    `SELECT subject, post, reply, created_at FROM activity_subscriptions
      WHERE uid = ? ORDER BY created_at, subject`,
  ),
  countOf: db
    .prepare<[number], number>('SELECT count(*) FROM activity_subscriptions WHERE uid = ?')
    .pluck(),
}))

const subjects = perDatabase((db) => new Set(statements(db).subjects.all()))

/** An existing subscription keeps its time. */
export function putActivitySubscription(
  db: WriteDb,
  subject: number,
  subscription: ActivitySubscription,
): void {
  const { uid, post, reply, created_at } = subscription
  const { put, invalidations } = statements(db)
  put.run(uid, subject, post, reply, created_at)
  invalidations.add(INVALIDATION.relation, uid, subject)
  subjects(db).add(subject)
}

export function deleteActivitySubscription(db: WriteDb, uid: number, subject: number): void {
  const { remove, invalidations } = statements(db)
  remove.run(uid, subject)
  invalidations.add(INVALIDATION.relation, uid, subject)
}

/** For the writer's connection. */
export function activitySubscribersOf(
  db: Db,
  subject: number,
  limit: number,
): ActivitySubscription[] {
  return subjects(db).has(subject) ? statements(db).of.all(subject, limit) : []
}

/** Oldest first. */
export function activitySubscriptionsBy(
  db: Db,
  uid: number,
): (Omit<ActivitySubscription, 'uid'> & { subject: number })[] {
  return statements(db).by.all(uid)
}

export function countActivitySubscriptions(db: Db, uid: number): number {
  return statements(db).countOf.get(uid) ?? 0
}
