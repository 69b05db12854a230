// Accounts, records and blobs hidden by the operator. Written by ingest/indexing/moderation/moderation.ts.

import { isValidDid } from '@atproto/syntax'
import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { type Collection, collectionCodes } from '../../../base/atproto/collections.ts'
import { type PackedRkey, packRkey } from '../../../base/atproto/keys.ts'
import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { idList } from '../read/id-list.ts'
import { invalidationsOf } from '../transact.ts'

export type TakedownSubject = {
  /** As stored: a DID, an at-URI or, for a blob, the DID, a space and its CID. */
  subject: string
  did: string
  collection: number
  rkey: PackedRkey
}

type TakedownRow = { subject: string; ref: string; because: string | null; at: number }

type NewTakedown = TakedownSubject & {
  uid: number
  ref: string
  because: string | null
  at: number
}

/** The account itself. */
export const ACCOUNT = 0
/** A blob, or a record of a kind that is not stored. */
const NOT_INDEXED = -1
const POST = collectionCodes['app.bsky.feed.post']
const BLOB = /^(\S+) (b[a-z2-7]{20,100})$/

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  find: db.prepare<[string], TakedownRow>(
    'SELECT subject, ref, because, at FROM takedowns WHERE subject = ?',
  ),
  put: db.prepare(
    `INSERT INTO takedowns (subject, uid, collection, rkey, ref, because, at)
      VALUES (@subject, @uid, @collection, @rkey, @ref, @because, @at) ON CONFLICT DO NOTHING`,
  ),
  remove: db.prepare<[string]>('DELETE FROM takedowns WHERE subject = ?'),
  removeBecause: db.prepare<[string]>('DELETE FROM takedowns WHERE because = ?'),
  status: db
    .prepare<[number], number>(
      `SELECT status FROM takedowns WHERE uid = ? AND collection = ${ACCOUNT}`,
    )
    .pluck(),
  statuses: db.prepare<[string], { uid: number; status: number }>(
    `SELECT t.uid, t.status FROM json_each(?) ids
      CROSS JOIN takedowns t ON t.uid = ids.value AND t.collection = ${ACCOUNT}`,
  ),
  refs: db.prepare<[string], { subject: string; ref: string }>(
    'SELECT subject, ref FROM takedowns WHERE subject IN (SELECT value FROM json_each(?))',
  ),
  rename: db.prepare<[string, string, string]>(
    'UPDATE takedowns SET ref = ?, because = NULL WHERE subject = ? AND ref != ?',
  ),
  setStatus: db.prepare<[number, number]>(
    `UPDATE takedowns SET status = ? WHERE uid = ? AND collection = ${ACCOUNT}`,
  ),
  newest: db.prepare<[number], TakedownRow>(
    `SELECT subject, ref, because, at FROM takedowns WHERE because IS NULL
      ORDER BY at DESC, subject LIMIT ?`,
  ),
  count: db.prepare<[], number>('SELECT count(*) FROM takedowns').pluck(),
  because: db.prepare<[string], string>('SELECT subject FROM takedowns WHERE because = ?').pluck(),
  post: db
    .prepare<[number, PackedRkey], number>('SELECT id FROM posts WHERE uid = ? AND rkey = ?')
    .pluck(),
}))

/** @returns undefined if the text names no account, record or blob */
export function parseTakedownSubject(text: string): TakedownSubject | undefined {
  const [, owner = ''] = BLOB.exec(text) ?? []
  const did = owner || text
  if (isValidDid(did)) {
    return { subject: text, did, collection: owner ? NOT_INDEXED : ACCOUNT, rkey: '' }
  }
  const key = parseRecordUri(text)
  if (!key) return undefined
  const collection = collectionCodes[key.collection as Collection] ?? NOT_INDEXED
  return { subject: text, did: key.did, collection, rkey: packRkey(key.rkey) }
}

/** The subject of a blob's takedown. */
export function blobSubject(did: string, cid: string): string {
  return `${did} ${cid}`
}

export function findTakedown(db: Db, subject: string): TakedownRow | undefined {
  return statements(db).find.get(subject)
}

/** @returns whether a takedown by the operator had another name before */
export function renameTakedown(db: WriteDb, row: TakedownSubject & { uid: number }, ref: string) {
  const isRenamed = statements(db).rename.run(ref, row.subject, ref).changes > 0
  if (isRenamed) note(db, row)
  return isRenamed
}

/** @returns whether it was not hidden before */
export function putTakedown(db: WriteDb, row: NewTakedown): boolean {
  const isNew = statements(db).put.run(row).changes > 0
  if (isNew) note(db, row)
  return isNew
}

/**
 * Also deletes the takedowns of blobs hidden because of it.
 * @returns whether it was hidden
 */
export function deleteTakedown(db: WriteDb, row: TakedownSubject & { uid: number }): boolean {
  const { remove, removeBecause } = statements(db)
  const wasThere = remove.run(row.subject).changes > 0
  removeBecause.run(row.subject)
  if (wasThere) note(db, row)
  return wasThere
}

/**
 * The account's status on its own server, a code of status.ts; undefined if the operator did not
 * hide it.
 */
export function statusBeneath(db: Db, uid: number): number | undefined {
  return statements(db).status.get(uid)
}

/** The same for many, by account. */
export function statusesBeneath(db: Db, uids: Iterable<number>): Map<number, number> {
  const rows = statements(db).statuses.all(idList(uids))
  return new Map(rows.map(({ uid, status }) => [uid, status]))
}

/** The references of the takedowns among these subjects. */
export function takedownRefs(db: Db, subjects: readonly string[]): Map<string, string> {
  const rows = statements(db).refs.all(JSON.stringify(subjects))
  return new Map(rows.map(({ subject, ref }) => [subject, ref]))
}

export function setStatusBeneath(db: WriteDb, uid: number, status: number): void {
  statements(db).setStatus.run(status, uid)
}

/** Newest first; without takedowns that follow from another. */
export function listTakedowns(db: Db, limit: number): TakedownRow[] {
  return statements(db).newest.all(limit)
}

/** CIDs of the blobs that were hidden with it. */
export function blobsHiddenWith(db: Db, subject: string): string[] {
  return statements(db)
    .because.all(subject)
    .map((blob) => blob.slice(blob.lastIndexOf(' ') + 1))
}

export function countTakedowns(db: Db): number {
  return statements(db).count.get() ?? 0
}

/** An account is invalidated with its status (actors.ts); no view is made from blobs. */
function note(db: Db, { uid, collection, rkey }: TakedownSubject & { uid: number }): void {
  if (collection <= ACCOUNT) return
  const { invalidations, post } = statements(db)
  if (collection !== POST) {
    // Lists affect relations, profiles and feeds are embedded in posts: too wide to name.
    invalidations.addEverything()
    return
  }
  const id = post.get(uid, rkey)
  if (id !== undefined) invalidations.add(INVALIDATION.post, id)
}
