// Whom a post mentions is indexed where the post is, for those who come to read here later.

import type { JsonObject } from '../../base/event.ts'
import type { Db, WriteDb } from '../../data/store/db.ts'
import { addMention } from '../../data/store/mentions.ts'
import { postRecord } from '../../data/store/posts.ts'
import { mentionsIn } from './reply-rules.ts'

/** More than a text has room for; facets may say anything. */
const MAX_MENTIONS = 10

export function indexMentions(db: WriteDb, post: number, record: JsonObject): void {
  for (const did of indexed(record)) addMention(db, post, did)
}

/** Digests may be alike: the record tells. */
export function doesMention(db: Db, post: number, did: string): boolean {
  const record = recordOf(db, post)
  return record !== undefined && indexed(record).includes(did)
}

/** Of a post that is here. */
export function recordOf(db: Db, post: number): JsonObject | undefined {
  const json = postRecord(db, post)
  return json === undefined ? undefined : (JSON.parse(json) as JsonObject)
}

function indexed(record: JsonObject): string[] {
  return [...new Set(mentionsIn(record))].slice(0, MAX_MENTIONS)
}
