// Which record keys of one account and collection we hold, a page at a time: what a repository's own
// listing is compared with.

import {
  type Collection,
  collectionCodes,
  recordCollections,
} from '../../base/atproto/collections.ts'
import type { PackedRkey } from '../../base/atproto/keys.ts'
import type { Db } from './db.ts'
import { blockEdges, followEdges, likeEdges } from './edges/all-edges.ts'
import type { EdgeTable } from './edges/edge-table.ts'
import { perDatabase } from './per-database.ts'

const LIKE: Collection = 'app.bsky.feed.like'

const ownTable = (table: string, condition = '') =>
  `SELECT rkey FROM ${table} WHERE uid = +? AND rkey > +? ${condition} ORDER BY rkey LIMIT +?`

const gateTable = (table: string) =>
  `SELECT posts.rkey FROM posts JOIN ${table} ON ${table}.post = posts.id
    WHERE posts.uid = +? AND posts.rkey > +? ORDER BY posts.rkey LIMIT +?`

const queries: Partial<Record<Collection, string>> = {
  'app.bsky.actor.profile':
    "SELECT 'self' FROM profiles WHERE uid = +? AND 'self' > +? ORDER BY 1 LIMIT +?",
  'app.bsky.feed.post': ownTable('posts', 'AND state = 1'),
  'app.bsky.feed.repost': ownTable('reposts'),
  'app.bsky.feed.threadgate': gateTable('threadgates'),
  'app.bsky.feed.postgate': gateTable('postgates'),
  'app.bsky.graph.list': ownTable('lists', 'AND cid IS NOT NULL'),
  'app.bsky.graph.listitem': ownTable('list_items'),
  'app.bsky.graph.listblock': ownTable('list_blocks'),
  ...Object.fromEntries(
    recordCollections.map((name) => [
      name,
      ownTable('records', `AND collection = ${collectionCodes[name]} AND cid IS NOT NULL`),
    ]),
  ),
}

const edges: Partial<Record<Collection, EdgeTable>> = {
  'app.bsky.feed.like': likeEdges,
  'app.bsky.graph.follow': followEdges,
  'app.bsky.graph.block': blockEdges,
}

const prepare = (db: Db, sql: string) =>
  db.prepare<[number, PackedRkey, number], PackedRkey>(sql).pluck()

const statements = perDatabase((db) => ({
  pages: new Map(
    Object.entries(queries).map(([collection, sql]) => [collection, prepare(db, sql)] as const),
  ),
  recordLikes: prepare(db, ownTable('record_likes')),
  itemsOfList: db
    .prepare<[number, number, PackedRkey, number], PackedRkey>(
      'SELECT rkey FROM list_items WHERE uid = +? AND list = +? AND rkey > +? ORDER BY rkey LIMIT +?',
    )
    .pluck(),
  rkeyOfList: db.prepare<[number], PackedRkey>('SELECT rkey FROM lists WHERE id = ?').pluck(),
}))

/** In no order, about `size` a page. The connection is free between pages, and rows may change. */
export function* storedKeys(
  db: Db,
  collection: Collection,
  { uid, size }: { uid: number; size: number },
): Generator<PackedRkey[]> {
  const table = edges[collection]
  if (table) {
    yield* storedEdges(db, table, { uid, size })
    if (collection !== LIKE) return
    const { recordLikes } = statements(db)
    yield* pagesOf(size, (after) => recordLikes.all(uid, after, size))
  } else {
    const select = statements(db).pages.get(collection)!
    yield* pagesOf(size, (after) => select.all(uid, after, size))
  }
}

/** Like `heldKeys`, of the list items of one list. */
export function storedListItems(
  db: Db,
  list: number,
  { uid, size }: { uid: number; size: number },
): Generator<PackedRkey[]> {
  const { itemsOfList } = statements(db)
  return pagesOf(size, (after) => itemsOfList.all(uid, list, after, size))
}

function* pagesOf(
  size: number,
  readAfter: (after: PackedRkey) => PackedRkey[],
): Generator<PackedRkey[]> {
  for (let after: PackedRkey = ''; ; ) {
    const page: PackedRkey[] = readAfter(after)
    yield page
    if (page.length < size) return
    after = page.at(-1)!
  }
}

function* storedEdges(
  db: Db,
  table: EdgeTable,
  { uid, size }: { uid: number; size: number },
): Generator<PackedRkey[]> {
  const pointers = table.pointersOf(db, uid)
  for (let start = 0; start < pointers.length; start += size) {
    const page = pointers.slice(start, start + size)
    yield page.flatMap((pointer) => table.resolve(db, uid, pointer)).map(({ rkey }) => rkey)
  }
}

/** undefined where there is no such list. */
export function rkeyOfList(db: Db, list: number): PackedRkey | undefined {
  return statements(db).rkeyOfList.get(list)
}
