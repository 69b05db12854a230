// Which record keys of one account and collection we hold, a page at a time: what a repository's own
// listing is compared with.

import type { Collection } from './collections.ts'
import type { Db } from './db.ts'
import type { PackedRkey } from './keys.ts'
import { perDatabase } from './per-database.ts'

const ownTable = (table: string, condition = '') =>
  `SELECT rkey FROM ${table} WHERE uid = ? AND rkey > ? ${condition} ORDER BY rkey LIMIT ?`

const gateTable = (table: string) =>
  `SELECT posts.rkey FROM posts JOIN ${table} ON ${table}.post = posts.id
    WHERE posts.uid = ? AND posts.rkey > ? ORDER BY posts.rkey LIMIT ?`

const queries: Record<Collection, string> = {
  'app.bsky.actor.profile':
    "SELECT 'self' FROM profiles WHERE uid = ? AND 'self' > ? ORDER BY 1 LIMIT ?",
  'app.bsky.feed.post': ownTable('posts', 'AND state = 1'),
  'app.bsky.feed.repost': ownTable('reposts'),
  'app.bsky.feed.like': ownTable('likes'),
  'app.bsky.feed.threadgate': gateTable('threadgates'),
  'app.bsky.feed.postgate': gateTable('postgates'),
  'app.bsky.graph.follow': ownTable('follows'),
  'app.bsky.graph.block': ownTable('blocks'),
  'app.bsky.graph.list': ownTable('lists', 'AND cid IS NOT NULL'),
  'app.bsky.graph.listitem': ownTable('list_items'),
  'app.bsky.graph.listblock': ownTable('list_blocks'),
}

const prepare = (db: Db, sql: string) =>
  db.prepare<[number, PackedRkey, number], PackedRkey>(sql).pluck()

const statements = perDatabase((db) => ({
  pages: new Map(
    Object.entries(queries).map(([collection, sql]) => [collection, prepare(db, sql)] as const),
  ),
  itemsOfList: db
    .prepare<[number, number, PackedRkey, number], PackedRkey>(
      'SELECT rkey FROM list_items WHERE uid = ? AND list = ? AND rkey > ? ORDER BY rkey LIMIT ?',
    )
    .pluck(),
  rkeyOfList: db.prepare<[number], PackedRkey>('SELECT rkey FROM lists WHERE id = ?').pluck(),
}))

type Page = { uid: number; after: PackedRkey; limit: number }

/** Keys above `after` ('' for all), ascending as SQLite orders them: text before blobs. */
export function heldKeys(db: Db, collection: Collection, page: Page): PackedRkey[] {
  return statements(db).pages.get(collection)!.all(page.uid, page.after, page.limit)
}

/** Like `heldKeys`, of the list items of one list. */
export function heldListItems(db: Db, list: number, page: Page): PackedRkey[] {
  return statements(db).itemsOfList.all(page.uid, list, page.after, page.limit)
}

/** undefined where there is no such list. */
export function rkeyOfList(db: Db, list: number): PackedRkey | undefined {
  return statements(db).rkeyOfList.get(list)
}
