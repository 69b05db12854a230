// All that an index holds about repositories, without our own ids and independent of arrival order, so that
// two databases can be compared: each collection's records, their references, counts, and inactive accounts.
// Times are included too, except those that depend on when they were fetched.

import { type PackedRkey, unpackCid, unpackRkey } from '../../src/base/atproto/keys.ts'
import type { Db } from '../../src/data/store/db.ts'
import { blockEdges, followEdges, likeEdges } from '../../src/data/store/edges/all-edges.ts'
import type { EdgeTable } from '../../src/data/store/edges/edge-table.ts'
import { NEWEST } from '../../src/data/store/edges/subject-lists.ts'
import { HAS_MEDIA, VIOLATES_THREADGATE } from '../../src/data/store/posts/post-flags.ts'
import { recordTables } from '../../src/data/store/records/record-tables.ts'
import { pairsOf } from './rows.ts'

type Row = Record<string, unknown>

/** Writers of rows as text: accounts by DID, records by DID and key. */
type Text = ReturnType<typeof createText>

export function canonicalRows(db: Db, { withTimes = false } = {}): Record<string, string[]> {
  const text = createText(db, withTimes)
  return {
    ...recordRows(text),
    ...feedRows(text),
    ...graphRows(text),
    ...smallRows(text),
    ...accountRows(text),
  }
}

function createText(db: Db, withTimes: boolean) {
  const all = (sql: string) => db.prepare<[], Row>(sql).all()
  const dids = new Map(all('SELECT uid, did FROM actors').map(({ uid, did }) => [uid, did]))
  const did = (uid: unknown) => String(dids.get(uid) ?? (uid === null ? '-' : `uid ${uid}`))
  const key = (row: Row) => `${did(row['uid'])}/${unpackRkey(row['rkey'] as PackedRkey)}`
  const keys = (table: string): Map<unknown, string> =>
    new Map(all(`SELECT id, uid, rkey FROM ${table}`).map((row) => [row['id'], key(row)]))
  const at = (row: Row) => (withTimes ? ` ${row['sort_at']}` : '')
  return {
    did,
    key,
    posts: keys('posts'),
    lists: keys('lists'),
    records: keys('records'),
    at,
    cid: (row: Row) => unpackCid(row['cid'] as Buffer),
    say: (sql: string, line: (row: Row) => string) => all(sql).map(line).sort(),
    edges: (table: EdgeTable, name: (subject: number) => unknown) =>
      [...new Set(pairsOf(db, table).map(([, subject]) => subject))]
        .flatMap((subject) => table.newest(db, subject, NEWEST, 1e6))
        .map((e) => `${key(e)} ${name(e.subject)}${at({ sort_at: e.sortAt })}`)
        .sort(),
  }
}

function feedRows({ say, edges, key, cid, at, posts }: Text) {
  const visible = VIOLATES_THREADGATE | HAS_MEDIA
  return {
    posts: say(
      'SELECT * FROM posts WHERE state = 1',
      (row) =>
        `${key(row)} ${cid(row)} ${posts.get(row['root'])} ${posts.get(row['parent'])} ${posts.get(row['quote'])} ${(row['flags'] as number) & visible}${at(row)}`,
    ),
    postCounts: say(
      'SELECT * FROM post_counts WHERE likes + reposts + replies + quotes > 0',
      ({ post, likes, reposts, replies, quotes }) =>
        `${posts.get(post)} ${likes} ${reposts} ${replies} ${quotes}`,
    ),
    likes: edges(likeEdges, (subject) => posts.get(subject)),
    threadgates: say('SELECT * FROM threadgates', (row) => `${posts.get(row['post'])} ${cid(row)}`),
    postgates: say('SELECT * FROM postgates', (row) => `${posts.get(row['post'])} ${cid(row)}`),
  }
}

function graphRows({ say, edges, key, cid, did }: Text) {
  return {
    follows: edges(followEdges, did),
    blocks: edges(blockEdges, did),
    lists: say('SELECT * FROM lists WHERE cid IS NOT NULL', (row) => `${key(row)} ${cid(row)}`),
  }
}

/** Records of the collections that share one table. */
function smallRows({ say, key, cid, posts }: Text) {
  return {
    records: say(
      'SELECT * FROM records WHERE cid IS NOT NULL',
      (row) => `${row['collection']} ${key(row)} ${cid(row)} ${row['likes']}`,
    ),
    associated: say(
      `SELECT r.*, a.post FROM associated_records r JOIN post_associations a ON a.record = r.id
        WHERE r.record IS NOT NULL`,
      (row) => `${row['collection']} ${key(row)} ${cid(row)} ${posts.get(row['post'])}`,
    ),
  }
}

function accountRows({ say, did, cid }: Text) {
  return {
    profiles: say('SELECT * FROM profiles', (row) => `${did(row['uid'])} ${cid(row)}`),
    accountCounts: say(
      'SELECT * FROM actors WHERE follows_count + followers_count + posts_count <> 0',
      ({ uid, follows_count, followers_count, posts_count }) =>
        `${did(uid)} ${follows_count} ${followers_count} ${posts_count}`,
    ),
    away: say(
      'SELECT * FROM actors WHERE status <> 0',
      ({ uid, status }) => `${did(uid)} ${status}`,
    ),
  }
}

/** Tables with a row for each record, unless they have empty rows and so a line above: the key, and what it names. */
function recordRows({ say, key, did, at, posts, lists, records }: Text) {
  const text = {
    account: did,
    post: (id: unknown) => posts.get(id),
    list: (id: unknown) => lists.get(id),
    record: (id: unknown) => records.get(id),
  }
  const { lists: _, ...tables } = recordTables
  return Object.fromEntries(
    Object.entries(tables).map(([table, { names }]) => {
      const columns = Object.entries<keyof typeof text>(names)
      const named = (row: Row) => columns.map(([column, kind]) => text[kind](row[column])).join(' ')
      return [table, say(`SELECT * FROM ${table}`, (row) => `${key(row)} ${named(row)}${at(row)}`)]
    }),
  )
}
