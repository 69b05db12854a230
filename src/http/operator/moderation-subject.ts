// Parses an operator's name for an account or a record: a handle, a DID, an at-URI, or the URL of a page on
// bsky.app or similar clients.

import { isValidDid } from '@atproto/syntax'
import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import { parseNamedThing } from '../../base/atproto/named-thing.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { parseTakedownSubject } from '../../data/store/moderation/takedowns.ts'
import { createRecords } from '../../data/store/read/records/records-by-key.ts'
import { OperatorError } from './operator-error.ts'

/**
 * Returns a handle's DID.
 * @throws OperatorError
 */
type DidOf = (handle: string) => Promise<string>

const MAX_DEPTH = 16
const MAX_BLOBS = 32

/**
 * @returns a subject as in data/store/moderation/takedowns.ts
 * @throws OperatorError
 */
export async function readSubject(text: string, didOf: DidOf): Promise<string> {
  const named = parseNamedThing(text)
  if (!named || named.isOtherPage) throw unfit(text)
  const { actor, record } = named
  const did = isValidDid(actor) ? actor : await didOf(actor)
  const subject = record ? `at://${did}/${record.collection}/${record.rkey}` : did
  if (!parseTakedownSubject(subject)) throw unfit(text)
  return subject
}

/** CIDs of a record's pictures and videos, if the record is stored here. */
export function blobsOf(
  { db, actors }: { db: Db; actors: Pick<ActorReader, 'uidOf'> },
  subject: string,
): string[] {
  const key = parseRecordUri(subject)
  const uid = key ? actors.uidOf(key.did) : 0
  if (!key || uid === 0) return []
  const found = createRecords(db).find({ uid, collection: key.collection, rkey: key.rkey })
  const cids = new Set<string>()
  if (typeof found === 'object') collect(found.value, cids, 0)
  return [...cids].slice(0, MAX_BLOBS)
}

/** The account that an operator named, also by the address of its profile or of a post. */
export function accountIn(text: string): string {
  return parseNamedThing(text)?.actor ?? text.trim().replace(/^@/, '')
}

/** Blobs are named by `{$type: 'blob', ref: {$link}}` at any depth. */
function collect(value: unknown, cids: Set<string>, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return
  const { $type, ref } = value as { $type?: unknown; ref?: { $link?: unknown } }
  if ($type === 'blob' && typeof ref?.$link === 'string') cids.add(ref.$link)
  for (const item of Object.values(value)) collect(item, cids, depth + 1)
}

function unfit(text: string): OperatorError {
  return new OperatorError(
    400,
    `"${text.slice(0, 200)}" names neither an account nor a record.`,
    'A handle, a DID, an at-URI, or the address of a post such as https://bsky.app/profile/alice.example.org/post/3k….',
  )
}
