// The two tables of one kind of edge, and the statements on their rows. A row is a chunk of a list, up to
// about a kilobyte, so that three or four fit a page of its index and nothing overflows. Parameters have a
// plus sign before them: our SQLite is built with STAT4, and replans a statement that orders by an index
// whenever a parameter in its condition changes, unless the planner can't see it. That took 3 µs per call,
// four fifths of the total.

import type { WriteDb } from '../db.ts'
import type { CreatorChunk, EdgeKind, SubjectChunk } from './chunk.ts'
import { EARLIEST_MS } from './edge.ts'

export function prepareCreatorRows(db: WriteDb, kind: EdgeKind) {
  const table = `${kind}_by_creator`
  const columns = 'first, oldest, newest, bytes'
  return {
    /** The chunk that covers the subject. */
    covering: db.prepare<[number, number], CreatorChunk>(
      `SELECT ${columns} FROM ${table} WHERE creator = +? AND first <= +? ORDER BY first DESC LIMIT 1`,
    ),
    /** The same, and where the next chunk begins. */
    coveringUntil: db
      .prepare<[number, number], [first: number, bytes: Buffer, until: number | null]>(
        `SELECT first, bytes,
          (SELECT after.first FROM ${table} after
            WHERE after.creator = c.creator AND after.first > c.first ORDER BY after.first LIMIT 1)
          FROM ${table} c WHERE creator = +? AND first <= +? ORDER BY first DESC LIMIT 1`,
      )
      .raw(),
    lowest: db
      .prepare<[number], number>(
        `SELECT first FROM ${table} WHERE creator = +? ORDER BY first LIMIT 1`,
      )
      .pluck(),
    /** Chunks with keys before and after this period; usually none. */
    ofPeriod: db.prepare<[number, number, number], CreatorChunk>(
      `SELECT ${columns} FROM ${table} WHERE creator = +? AND oldest <= +? AND newest >= +?`,
    ),
    all: db.prepare<[number], CreatorChunk>(
      `SELECT ${columns} FROM ${table} WHERE creator = +? ORDER BY first`,
    ),
    exists: db
      .prepare<[number], number>(`SELECT 1 FROM ${table} WHERE creator = ? LIMIT 1`)
      .pluck(),
    /** Whether the list has more chunks than this. */
    hasMoreThan: db
      .prepare<[number, number], number>(
        `SELECT 1 FROM ${table} WHERE creator = +? LIMIT 1 OFFSET +?`,
      )
      .pluck(),
    /** Of these accounts, as JSON, those that have a list. */
    existing: db
      .prepare<[string], number>(
        `SELECT ids.value FROM json_each(?) ids
          WHERE EXISTS (SELECT 1 FROM ${table} WHERE creator = ids.value)`,
      )
      .pluck(),
    put: db.prepare<[number, number, number, number, Buffer]>(
      `INSERT OR REPLACE INTO ${table} (creator, first, oldest, newest, bytes) VALUES (?, ?, ?, ?, ?)`,
    ),
    remove: db.prepare<[number, number]>(`DELETE FROM ${table} WHERE creator = ? AND first = ?`),
    removeAll: db.prepare<[number]>(`DELETE FROM ${table} WHERE creator = ?`),
    lists: db
      .prepare<[], [creator: number, first: number, bytes: Buffer]>(
        `SELECT creator, first, bytes FROM ${table} ORDER BY creator, first`,
      )
      .raw(),
  }
}

export function prepareSubjectRows(db: WriteDb, kind: EdgeKind) {
  const table = `${kind}_by_subject`
  return {
    /** The chunk that covers a place. */
    covering: db.prepare<[number, number, number], SubjectChunk>(
      `SELECT at, uid, bytes FROM ${table}
        WHERE subject = +? AND (at, uid) <= (+?, +?) ORDER BY at DESC, uid DESC LIMIT 1`,
    ),
    /** Chunks from this place back in time; the first one covers it. */
    backFrom: db.prepare<[number, number, number], SubjectChunk>(
      `SELECT at, uid, bytes FROM ${table}
        WHERE subject = +? AND (at, uid) <= (+?, +?) ORDER BY at DESC, uid DESC`,
    ),
    all: db
      .prepare<[number], [at: number, bytes: Buffer]>(
        `SELECT at, bytes FROM ${table} WHERE subject = +?`,
      )
      .raw(),
    /** Whether the list has more chunks than this. */
    hasMoreThan: db
      .prepare<[number, number], number>(
        `SELECT 1 FROM ${table} WHERE subject = +? LIMIT 1 OFFSET +?`,
      )
      .pluck(),
    exists: db
      .prepare<[number], number>(`SELECT 1 FROM ${table} WHERE subject = ? LIMIT 1`)
      .pluck(),
    put: db.prepare<[number, number, number, Buffer]>(
      `INSERT OR REPLACE INTO ${table} (subject, at, uid, bytes) VALUES (?, ?, ?, ?)`,
    ),
    removeAll: db.prepare<[number]>(`DELETE FROM ${table} WHERE subject = ?`),
    remove: db.prepare<[number, number, number]>(
      `DELETE FROM ${table} WHERE subject = ? AND at = ? AND uid = ?`,
    ),
  }
}

/** Statements for many lists at once. */
export function prepareManyCreatorRows(db: WriteDb, kind: EdgeKind) {
  const table = `${kind}_by_creator`
  return {
    /** For pairs of creator and subject, as JSON: the distinct chunks that cover the subjects. */
    coveringAmong: db
      .prepare<[string], [creator: number, first: number, bytes: Buffer]>(
        `WITH places AS MATERIALIZED (SELECT DISTINCT k.value ->> 0 AS creator,
            (SELECT first FROM ${table} WHERE creator = k.value ->> 0 AND first <= k.value ->> 1
              ORDER BY first DESC LIMIT 1) AS first
            FROM json_each(?) k)
          SELECT c.creator, c.first, c.bytes FROM places p
          CROSS JOIN ${table} c ON c.creator = p.creator AND c.first = p.first
          ORDER BY c.creator, c.first`,
      )
      .raw(),
    /**
     * For pairs of creator and period, as JSON: chunks with keys before and after it, with the
     * index of the pair.
     */
    ofPeriods: db
      .prepare<[string], [place: number, first: number, bytes: Buffer]>(
        `SELECT k.key, c.first, c.bytes FROM json_each(?) k CROSS JOIN ${table} c
          ON c.creator = k.value ->> 0 AND c.oldest <= k.value ->> 1 AND c.newest >= k.value ->> 1`,
      )
      .raw(),
  }
}

/** Statements for many lists at once. */
export function prepareManySubjectRows(db: WriteDb, kind: EdgeKind) {
  const table = `${kind}_by_subject`
  const covering = (subject: string, at: string, uid: string) =>
    `CROSS JOIN ${table} c ON c.subject = ${subject} AND (c.at, c.uid) =
      (SELECT at, uid FROM ${table} WHERE subject = ${subject} AND (at, uid) <= (${at}, ${uid})
        ORDER BY at DESC, uid DESC LIMIT 1)`
  return {
    /**
     * For an object of subjects, as JSON, each named by a time and its index: the chunk that covers the end of this
     * time, with the name. SQLite parses each triple of a list of them anew for each of its parts.
     */
    coveringTimes: db
      .prepare<[string], [name: string, at: number, uid: number, bytes: Buffer]>(
        `SELECT k.key, c.at, c.uid, c.bytes FROM json_each(?) k
          ${covering('k.value', 'CAST(k.key AS INTEGER)', `${Number.MAX_SAFE_INTEGER}`)}`,
      )
      .raw(),
    /**
     * For triples of subject, time and account, as JSON: the chunk that covers each, with the index
     * of the triple.
     */
    coveringAll: db
      .prepare<[string], [place: number, at: number, uid: number, bytes: Buffer]>(
        `SELECT k.key, c.at, c.uid, c.bytes FROM json_each(?) k
          ${covering('k.value ->> 0', 'k.value ->> 1', 'k.value ->> 2')}`,
      )
      .raw(),
    /** For subjects, as JSON: a number of last chunks of each, newest first. */
    lastOfEach: db
      .prepare<
        [{ subjects: string; chunks: number }],
        [subject: number, at: number, bytes: Buffer]
      >(
        `SELECT c.subject, c.at, c.bytes FROM json_each(@subjects) k CROSS JOIN ${table} c
          ON c.subject = k.value AND c.at >= coalesce(
            (SELECT at FROM ${table} WHERE subject = k.value ORDER BY at DESC, uid DESC
              LIMIT 1 OFFSET @chunks - 1), ${EARLIEST_MS})
          ORDER BY k.key, c.at DESC, c.uid DESC`,
      )
      .raw(),
  }
}
