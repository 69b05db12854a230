// Mentions in posts: accounts are stored as a digest of their DIDs, since most have no row here.

import { hash } from 'node:crypto'
import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

type Mention = { id: number; uid: number; rkey: PackedRkey; sort_at: number }

const DIGEST_BYTES = 6

const statements = perDatabase((db) => ({
  add: db.prepare<[number, number]>(
    'INSERT INTO mentions (did, post) VALUES (?, ?) ON CONFLICT DO NOTHING',
  ),
  remove: db.prepare<[number]>('DELETE FROM mentions WHERE post = ?'),
  newest: db.prepare<[number, number], Mention>(
    `SELECT p.id, p.uid, p.rkey, p.sort_at FROM mentions m CROSS JOIN posts p ON p.id = m.post
      WHERE m.did = ? AND p.state = 1 ORDER BY m.post DESC LIMIT ?`,
  ),
}))

export function addMention(db: WriteDb, post: number, did: string): void {
  statements(db).add.run(digestOf(did), post)
}

/** Called when the post's record is removed or replaced. */
export function removeMentions(db: WriteDb, post: number): void {
  statements(db).remove.run(post)
}

/** Posts that may mention the account (digests may collide), the last added first. */
export function mentionsOf(db: Db, did: string, limit: number): Mention[] {
  return statements(db).newest.all(digestOf(did), limit)
}

function digestOf(did: string): number {
  return hash('sha256', did, 'buffer').readUIntBE(0, DIGEST_BYTES)
}
