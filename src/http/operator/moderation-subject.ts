// Parses an operator's name for an account or a record: a handle, a DID, an at-URI, or the URL of a page on
// bsky.app or similar clients.

import { isValidDid, isValidHandle } from '@atproto/syntax'
import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { createRecords } from '../../data/store/read/records-by-key.ts'
import { parseTakedownSubject } from '../../data/store/takedowns.ts'
import { OperatorError } from './operator-error.ts'

/**
 * Returns a handle's DID.
 * @throws OperatorError
 */
type DidOf = (handle: string) => Promise<string>

/** Path segments after the account in page URLs. */
const PAGES: Record<string, string> = {
  post: 'app.bsky.feed.post',
  feed: 'app.bsky.feed.generator',
  lists: 'app.bsky.graph.list',
}
const STARTER_PACK = 'app.bsky.graph.starterpack'
const MAX_DEPTH = 16
const MAX_BLOBS = 32

/**
 * @returns a subject as in data/store/takedowns.ts
 * @throws OperatorError
 */
export async function readSubject(text: string, didOf: DidOf): Promise<string> {
  const named = partsOf(text.trim())
  if (!named) throw unfit(text)
  const { actor, collection, rkey } = named
  const did = isValidDid(actor) ? actor : await didOf(actor)
  const subject = collection === undefined ? did : `at://${did}/${collection}/${rkey}`
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
  const name = text.trim().replace(/^@/, '')
  return partsOf(name)?.actor ?? name
}

type Named = { actor: string; collection?: string; rkey?: string }

function partsOf(text: string): Named | undefined {
  const words = text.replace(/^at:\/\//, '').split('/')
  if (/^https?:\/\//.test(text)) return partsOfPage(text)
  const [first = '', collection, rkey, ...rest] = words
  const actor = first.replace(/^@/, '')
  if (rest.length > 0 || !isActor(actor)) return undefined
  if (collection === undefined) return { actor }
  return rkey ? { actor, collection, rkey } : undefined
}

function partsOfPage(text: string): Named | undefined {
  if (!URL.canParse(text)) return undefined
  const [what, actor = '', page, rkey] = new URL(text).pathname.slice(1).split('/')
  if (!isActor(actor)) return undefined
  if (what === 'starter-pack' && page) return { actor, collection: STARTER_PACK, rkey: page }
  if (what !== 'profile') return undefined
  if (!page) return { actor }
  const collection = PAGES[page]
  return collection && rkey ? { actor, collection, rkey } : undefined
}

function isActor(text: string): boolean {
  return isValidDid(text) || isValidHandle(text)
}

/** Blobs are named by `{$type: 'blob', ref: {$link}}` at any depth. */
function collect(value: unknown, cids: Set<string>, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return
  const { $type, ref } = value as { $type?: unknown; ref?: { $link?: unknown } }
  if ($type === 'blob' && typeof ref?.$link === 'string') cids.add(ref.$link)
  for (const one of Object.values(value)) collect(one, cids, depth + 1)
}

function unfit(text: string): OperatorError {
  return new OperatorError(
    400,
    `"${text.slice(0, 200)}" names neither an account nor a record.`,
    'A handle, a DID, an at-URI, or the address of a post such as https://bsky.app/profile/alice.example.org/post/3k….',
  )
}
