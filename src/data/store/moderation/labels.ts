// Labels: written by ingest/indexing/moderation/label.ts, read by read/moderation/labels.ts.

import { collectionCodes } from '../../../base/atproto/collections.ts'
import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { isoTime } from '../../../base/util/iso-time.ts'
import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { invalidationsOf } from '../transact.ts'

/** `collection` 0 and an empty `rkey`: the account itself. */
export type LabelSubject = { uid: number; collection: number; rkey: PackedRkey }

type LabelRow = LabelSubject & {
  /** actors.uid of the labeler. */
  src: number
  val: string
  neg: boolean
  cid: string | undefined
  /** RFC 3339, as received. */
  cts: string
  exp: string | undefined
  /** Whether the labeler's stream brought it, rather than an answer. */
  isStreamed: boolean
}

const POST = collectionCodes['app.bsky.feed.post']
const LIST = collectionCodes['app.bsky.graph.list']
const TAKEDOWNS = new Set(['!takedown', '!suspend'])
/** Values that one labeler may apply to one subject, including withdrawn ones. */
const MAX_ABOUT_ONE = 25

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  time: db.prepare<[number, number, PackedRkey, number, string], Known>(
    `SELECT cts_ms AS ms, cts AS text, streamed AS isStreamed FROM labels
      WHERE uid = ? AND collection = ? AND rkey = ? AND src = ? AND val = ?`,
  ),
  about: db
    .prepare<[number, number, PackedRkey, number], number>(
      'SELECT count(*) FROM labels WHERE uid = ? AND collection = ? AND rkey = ? AND src = ?',
    )
    .pluck(),
  put: db.prepare(
    `INSERT INTO labels
      (uid, collection, rkey, src, val, neg, cid, cts_ms, cts, exp_ms, exp, streamed)
    VALUES (@uid, @collection, @rkey, @src, @val, @neg, @cid, @ctsMs, @cts, @expMs, @exp, @streamed)
    ON CONFLICT DO UPDATE SET neg = excluded.neg, cid = excluded.cid, cts_ms = excluded.cts_ms,
      cts = excluded.cts, exp_ms = excluded.exp_ms, exp = excluded.exp,
      streamed = max(streamed, excluded.streamed)`,
  ),
  before: db
    .prepare<[number, number, PackedRkey, number, number], string>(
      `SELECT val FROM labels l WHERE uid = ? AND collection = ? AND rkey = ? AND src = ? AND neg = 0
        AND (streamed = 0 OR cts_ms < (SELECT begun_at FROM labelers WHERE labelers.uid = l.src))
        AND cts_ms < ?`,
    )
    .pluck(),
  keys: db.prepare<[number, number, PackedRkey, number, string, number], LabelKey>(
    `SELECT uid, collection, rkey, src, val FROM labels
    WHERE (uid, collection, rkey, src, val) > (?, ?, ?, ?, ?)
    ORDER BY uid, collection, rkey, src, val LIMIT ?`,
  ),
  remove: db.prepare<[number, number, PackedRkey, number, string]>(
    'DELETE FROM labels WHERE uid = ? AND collection = ? AND rkey = ? AND src = ? AND val = ?',
  ),
  withdraw: db.prepare<[number, number, PackedRkey, number, string]>(
    `UPDATE labels SET neg = 1, cts_ms = cts_ms + 1, cts = NULL
      WHERE uid = ? AND collection = ? AND rkey = ? AND src = ? AND val = ?`,
  ),
  prune: db.prepare<[number, number]>(
    `DELETE FROM labels WHERE (uid, collection, rkey, src, val) IN
    (SELECT uid, collection, rkey, src, val FROM labels WHERE exp_ms < ? LIMIT ?)`,
  ),
  listInUse: db
    .prepare<[{ uid: number; rkey: PackedRkey | null }], number>(
      `SELECT 1 FROM lists l WHERE l.uid = @uid AND (@rkey IS NULL OR l.rkey = @rkey)
        AND (EXISTS (SELECT 1 FROM list_blocks WHERE list = l.id)
          OR EXISTS (SELECT 1 FROM list_mutes WHERE list = l.id)) LIMIT 1`,
    )
    .pluck(),
  post: db
    .prepare<[number, PackedRkey], number>('SELECT id FROM posts WHERE uid = ? AND rkey = ?')
    .pluck(),
}))

/**
 * A withdrawal of an unknown label is stored too, so that the label, arriving later though older,
 * does not take effect.
 *
 * @returns `none` if the known label is newer; `refused` if it would be one row too many, of this
 * labeler's or of its values for this subject
 */
export function putLabel(
  db: WriteDb,
  label: LabelRow,
  mayAdd = true,
): 'none' | 'added' | 'changed' | 'refused' {
  const { time, put, about } = statements(db)
  const { uid, collection, rkey, src, val } = label
  const ctsMs = Date.parse(label.cts)
  const known = time.get(uid, collection, rkey, src, val)
  const isNew = known === undefined
  if (!isNew && isInForce(known, label, ctsMs)) return 'none'
  if (isNew && !(mayAdd && about.get(uid, collection, rkey, src)! < MAX_ABOUT_ONE)) return 'refused'
  const expMs = label.exp === undefined ? null : Date.parse(label.exp)
  const { changes } = put.run({
    uid,
    collection,
    rkey,
    src,
    val,
    neg: label.neg ? 1 : 0,
    cid: label.cid ?? null,
    ctsMs,
    cts: unusual(label.cts, ctsMs),
    expMs,
    exp: label.exp === undefined ? null : unusual(label.exp, expMs!),
    streamed: label.isStreamed ? 1 : 0,
  })
  note(db, label, val)
  if (changes === 0) return 'none'
  return isNew ? 'added' : 'changed'
}

/** `text` if it says more than `ms`. */
type Time = { ms: number; text: string | null }
type Known = Time & { isStreamed: number }

/**
 * Of two events of one moment the later in the stream's order holds; an answer may be from between
 * them.
 */
function isInForce(known: Known, label: LabelRow, ctsMs: number): boolean {
  const time = { ms: ctsMs, text: label.cts }
  if (known.isStreamed === 1 && !label.isStreamed) return !isLater(time, known)
  return isLater(known, time)
}

/** Programs sign with microseconds, and may withdraw a label in the millisecond in which they set it. */
function isLater(time: Time, other: Time): boolean {
  if (time.ms !== other.ms) return time.ms > other.ms
  return beyondMs(time) > beyondMs(other)
}

function beyondMs({ text }: Time): number {
  return Number(`0.${/\.\d{3}(\d{1,15})/.exec(text ?? '')?.[1] ?? 0}`)
}

export type LabelKey = LabelSubject & { src: number; val: string }

/** In the order of their keys; from the beginning if `after` is undefined. */
export function labelKeysAfter(db: Db, after: LabelKey | undefined, atMost: number): LabelKey[] {
  const { keys } = statements(db)
  const from = after ?? { uid: -1, collection: 0, rkey: '', src: 0, val: '' }
  return keys.all(from.uid, from.collection, from.rkey, from.src, from.val, atMost)
}

/**
 * Labels of a labeler on a subject from before a time that only answers brought, or a stream that it no longer has, and
 * none withdrew.
 */
export function queriedLabelsBefore(
  db: Db,
  { subject, src, before }: { subject: LabelSubject; src: number; before: number },
): string[] {
  const { uid, collection, rkey } = subject
  return statements(db).before.all(uid, collection, rkey, src, before)
}

/**
 * Acts as if the labeler had withdrawn the label right after it set it: neither that event, which
 * its stream may deliver late or again, nor an older one restores it.
 */
export function withdrawLabel(db: WriteDb, subject: LabelSubject, src: number, val: string): void {
  statements(db).withdraw.run(subject.uid, subject.collection, subject.rkey, src, val)
  note(db, subject, val)
}

export function deleteLabel(db: WriteDb, subject: LabelSubject, src: number, val: string): void {
  statements(db).remove.run(subject.uid, subject.collection, subject.rkey, src, val)
  note(db, subject, val)
}

/**
 * An expired label is in no view, so no reader is told.
 * @returns how many were pruned
 */
export function pruneLabels(db: WriteDb, expiredBefore: number, atMost: number): number {
  return statements(db).prune.run(expiredBefore, atMost).changes
}

function note(db: Db, { uid, collection, rkey }: LabelSubject, val: string): void {
  const { invalidations, post, listInUse } = statements(db)
  if (TAKEDOWNS.has(val) && (collection === LIST || collection === 0)) {
    // Lists used for blocks or mutes affect relations to everyone on them.
    const lists = { uid, rkey: collection === LIST ? rkey : null }
    if (listInUse.get(lists) !== undefined) invalidations.addEverything()
  }
  const id = collection === POST ? post.get(uid, rkey) : 0
  // A post without a row is in no view.
  if (id !== undefined) invalidations.add(INVALIDATION.label, uid, id)
}

/** Returns text to store only if the number does not fully determine it. */
function unusual(text: string, ms: number): string | null {
  return isoTime(ms) === text ? null : text
}
