import type { Db } from '../../db.ts'
import type { Before } from '../../edges/subject-lists.ts'
import { perDatabase } from '../../per-database.ts'

type PrivateAccount = { other: number; at: number }

export type PrivateRelation = 'mutes' | 'mutesOfAnyScope' | 'activity_subscriptions'

const page = (db: Db, table: 'mutes' | 'activity_subscriptions', condition = '') =>
  db.prepare<[number, number, number, number, number], PrivateAccount>(
    `SELECT subject AS other, created_at AS at FROM ${table}
      WHERE uid = +? ${condition} AND created_at <= +? AND (created_at < +? OR subject < +?)
      ORDER BY created_at DESC, subject DESC LIMIT +?`,
  )

const statements = perDatabase((db) => ({
  // As in the reference: excludes accounts with only reposts or quote posts muted.
  mutes: page(db, 'mutes', 'AND scope = 0'),
  mutesOfAnyScope: page(db, 'mutes'),
  activity_subscriptions: page(db, 'activity_subscriptions'),
}))

export function privateAccounts(
  db: Db,
  table: PrivateRelation,
  { uid, before, limit }: { uid: number; before: Before; limit: number },
): PrivateAccount[] {
  return statements(db)[table].all(uid, before.sortAt, before.sortAt, before.uid, limit)
}
