// Keys that sign cursors. A new key is made every 30 days; the previous one stays valid, older ones are
// deleted.

import { randomBytes } from 'node:crypto'
import { DAY_MS } from '../../../base/util/durations.ts'
import type { Db, WriteDb } from '../../../data/store/db.ts'
import { perDatabase } from '../../../data/store/per-database.ts'

type SigningKeyRow = { id: number; secret: Buffer }

const SECRET_BYTES = 32
const LASTS_MS = 30 * DAY_MS
const VALID = 2

const statements = perDatabase((db) => ({
  newest: db
    .prepare<[], number>('SELECT created_at FROM signing_keys ORDER BY id DESC LIMIT 1')
    .pluck(),
  insert: db.prepare<[Buffer, number]>(
    'INSERT INTO signing_keys (secret, created_at) VALUES (?, ?)',
  ),
  prune: db.prepare<[number]>(
    'DELETE FROM signing_keys WHERE id NOT IN (SELECT id FROM signing_keys ORDER BY id DESC LIMIT ?)',
  ),
  isThere: db.prepare<[Buffer], number>('SELECT 1 FROM signing_keys WHERE secret = ?').pluck(),
  made: db.prepare<[number], SigningKeyRow & { madeAt: number }>(
    'SELECT id, secret, created_at AS madeAt FROM signing_keys ORDER BY id DESC LIMIT ?',
  ),
  valid: db.prepare<[number], SigningKeyRow>(
    'SELECT id, secret FROM signing_keys ORDER BY id DESC LIMIT ?',
  ),
}))

/** Makes a key if there is none, or the newest is old. */
export function rotateSigningKeys(db: WriteDb, now: number): void {
  const { newest, insert, prune } = statements(db)
  const madeAt = newest.get()
  if (madeAt !== undefined && now - madeAt < LASTS_MS) return
  insert.run(randomBytes(SECRET_BYTES), now)
  prune.run(VALID)
}

/** Adds a current or previous key of another node, unless it is known. */
export function addSigningKey(db: WriteDb, secret: Buffer, madeAt: number): void {
  const { isThere, insert } = statements(db)
  if (isThere.get(secret) === undefined) insert.run(secret, madeAt)
}

/** Newest first, each with its time. */
export function signingKeysMade(db: Db): (SigningKeyRow & { madeAt: number })[] {
  return statements(db).made.all(VALID)
}

/** Newest first. */
export function validSigningKeys(db: Db): SigningKeyRow[] {
  return statements(db).valid.all(VALID)
}
