// Indexes the accounts that a post mentions when the post is stored, for accounts that become members later.

import type { JsonObject } from '../../../base/util/json-object.ts'
import type { Db, WriteDb } from '../../../data/store/db.ts'
import { addMention } from '../../../data/store/posts/mentions.ts'
import { postRecord } from '../../../data/store/posts/posts.ts'
import { mentionsIn } from './reply-rules.ts'

/** More than fit into a text; facets may claim any number. */
const MAX_MENTIONS = 10

export function indexMentions(db: WriteDb, post: number, record: JsonObject): void {
  for (const did of indexed(record)) addMention(db, post, did)
}

/** Digests may collide, so the record decides. */
export function doesMention(db: Db, post: number, did: string): boolean {
  const record = recordOf(db, post)
  return record !== undefined && indexed(record).includes(did)
}

/** Returns the record of a stored post. */
export function recordOf(db: Db, post: number): JsonObject | undefined {
  const json = postRecord(db, post)
  return json === undefined ? undefined : (JSON.parse(json) as JsonObject)
}

function indexed(record: JsonObject): string[] {
  return [...new Set(mentionsIn(record))].slice(0, MAX_MENTIONS)
}
