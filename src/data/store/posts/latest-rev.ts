// The latest revision of an account that its rows know: of members, each is noted, and of others, that of the latest post.

import type { Db } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { findActor } from '../records/actors.ts'

const statements = perDatabase((db) => ({
  ofPost: db
    .prepare<[number], string | null>(
      'SELECT rev FROM posts WHERE uid = ? AND cid IS NOT NULL ORDER BY rkey DESC LIMIT 1',
    )
    .pluck(),
}))

export function latestRevOf(db: Db, uid: number): string | undefined {
  const [rev, other] = [findActor(db, uid)?.rev ?? '', statements(db).ofPost.get(uid) ?? '']
  return (rev > other ? rev : other) || undefined
}
