// Translates posts and reposts between their at-URIs, which are the same on every node, and their local ids.

import { parseRecordUri, recordUri } from '../../../../base/atproto/at-uri.ts'
import { type PackedRkey, packRkey } from '../../../../base/atproto/keys.ts'
import type { ActorReader } from '../../../../data/graph/types.ts'
import { type Db, idList } from '../../../../data/store/read/id-list.ts'
import {
  isRepostItem,
  postItem,
  repostItem,
  rowIdOf,
} from '../../../../data/store/timelines/item-ids.ts'

export type NamedItem = { uri: string; uid: number; item: number; sortAt: number }

export type LoggedItems = {
  /** By at-URI; missing ones are omitted. */
  byUri(uris: readonly string[]): Map<string, NamedItem>
  /** By item; missing ones are omitted. */
  byItem(items: readonly number[]): Map<number, NamedItem>
}

type Row = [id: number, uid: number, rkey: PackedRkey, sortAt: number]

const POST = 'app.bsky.feed.post'
const REPOST = 'app.bsky.feed.repost'
const COLUMNS = 't.id, t.uid, t.rkey, t.sort_at'
const BY_ID = 'json_each(?) k CROSS JOIN %s t ON t.id = k.value'
const IS_HERE = 'WHERE t.state = 1'
/** An empty list, for which no statement runs. */
const NONE = '[]'

export function prepareLoggedItems(
  db: Db,
  actors: Pick<ActorReader, 'uidOf' | 'didOf'>,
): LoggedItems {
  const select = (from: string, table: string, where = '') =>
    db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM ${from.replace('%s', table)} ${where}`).raw()
  // One by one: a list of keys would cost four times as much to write and to read.
  const byKey = (table: string, where = '') =>
    db
      .prepare<[number, PackedRkey], [id: number, sortAt: number]>(
        `SELECT id, sort_at FROM ${table} WHERE uid = ? AND rkey = ? ${where}`,
      )
      .raw()
  const [postByKey, repostByKey] = [byKey('posts', 'AND state = 1'), byKey('reposts')]
  const byId = { posts: select(BY_ID, 'posts', IS_HERE), reposts: select(BY_ID, 'reposts') }

  function post([id, uid, rkey, sortAt]: Row): NamedItem {
    return { uri: recordUri(actors.didOf(uid), POST, rkey), uid, item: postItem(id), sortAt }
  }
  function repost([id, uid, rkey, sortAt]: Row): NamedItem {
    return { uri: recordUri(actors.didOf(uid), REPOST, rkey), uid, item: repostItem(id), sortAt }
  }

  /** Finds an item of a known account. */
  function named(uri: string): NamedItem | undefined {
    const key = parseRecordUri(uri)
    const isRepost = key?.collection === REPOST
    const uid = isRepost || key?.collection === POST ? actors.uidOf(key.did) : 0
    if (uid === 0) return undefined
    const row = (isRepost ? repostByKey : postByKey).get(uid, packRkey(key!.rkey))
    if (!row) return undefined
    const [id, sortAt] = row
    return { uri, uid, item: isRepost ? repostItem(id) : postItem(id), sortAt }
  }

  return {
    byUri(uris) {
      return new Map(
        uris.flatMap((uri) => named(uri) ?? []).map((namedItem) => [namedItem.uri, namedItem]),
      )
    },
    byItem(items) {
      const posts = idList(items.filter((item) => !isRepostItem(item)).map(rowIdOf))
      const reposts = idList(items.filter(isRepostItem).map(rowIdOf))
      const found = [
        ...(posts === NONE ? [] : byId.posts.all(posts).map(post)),
        ...(reposts === NONE ? [] : byId.reposts.all(reposts).map(repost)),
      ]
      return new Map(found.map((namedItem) => [namedItem.item, namedItem]))
    },
  }
}
