// Feed items for posts and reposts named by at-URI, for example by a feed generator: finds their rows, many
// at a time, and whether they can be shown.

import { packRkey, unpackRkey } from '../../../../base/atproto/keys.ts'
import type { ActorReader } from '../../../graph/types.ts'
import type { Db } from '../../db.ts'
import { isWithoutRecord, PRESENT } from '../../posts/posts.ts'
import { postItem, repostItem } from '../../timelines/item-ids.ts'
import { keyColumn, keyJson } from '../key-list.ts'

type Named = { post: string; repost: string | undefined }

export type ItemByUri = {
  /** The feed item; 0 if it can't be shown, at least not now. */
  item: number
  /** Still undecided: the post may only need to be fetched, or its author looked up. */
  isUnknown: boolean
}

type Key = { did: string; rkey: string }
type PostRow = { id: number; uid: number; rkey: Buffer | string; state: number; checked: number }
type RepostRow = { id: number; uid: number; rkey: Buffer | string; subject: number }

const AT_URI = /^at:\/\/(did:[^/]+)\/([^/]+)\/([^/?#]+)$/

const POSTS = /* sql */ `
SELECT p.id, p.uid, p.rkey, p.state, a.identity_checked_at IS NOT NULL AS checked
FROM json_each(?) k
CROSS JOIN posts p ON p.uid = k.value ->> 0 AND p.rkey = ${keyColumn('k.value', 1)}
CROSS JOIN actors a ON a.uid = p.uid`

const REPOSTS = /* sql */ `
SELECT r.id, r.uid, r.rkey, r.subject FROM json_each(?) k
CROSS JOIN reposts r ON r.uid = k.value ->> 0 AND r.rkey = ${keyColumn('k.value', 1)}`

/** @returns a function that finds each of these, in their order */
export function createItemsByUri({ db, actors }: { db: Db; actors: ActorReader }) {
  const selectPosts = db.prepare<[string], PostRow>(POSTS)
  const selectReposts = db.prepare<[string], RepostRow>(REPOSTS)

  function rowsOf<Row extends { uid: number; rkey: Buffer | string }>(
    keys: (Key | undefined)[],
    select: (keys: string) => Row[],
  ): Map<string, Row> {
    const known = keys.flatMap((key) => {
      const uid = key ? actors.uidOf(key.did) : 0
      return uid === 0 ? [] : [[uid, ...keyJson(packRkey(key!.rkey))]]
    })
    if (known.length === 0) return new Map()
    const rows = select(JSON.stringify(known))
    return new Map(rows.map((row) => [nameOf(actors.didOf(row.uid), unpackRkey(row.rkey)), row]))
  }

  return (named: readonly Named[]): ItemByUri[] => {
    const postKeys = named.map(({ post }) => keyOf(post, 'app.bsky.feed.post'))
    const repostKeys = named.map(({ repost }) => keyOf(repost, 'app.bsky.feed.repost'))
    const posts = rowsOf(postKeys, (keys) => selectPosts.all(keys))
    const reposts = rowsOf(repostKeys, (keys) => selectReposts.all(keys))
    return named.map(({ repost }, i) => {
      const key = postKeys[i]
      if (!key) return { item: 0, isUnknown: false }
      const post = posts.get(nameOf(key.did, key.rkey))
      if (post?.state !== PRESENT)
        return { item: 0, isUnknown: !post || isWithoutRecord(post.state) }
      const isUnknown = post.checked === 0
      if (repost === undefined) return { item: postItem(post.id), isUnknown }
      const by = repostKeys[i]
      const row = by && reposts.get(nameOf(by.did, by.rkey))
      return { item: row?.subject === post.id ? repostItem(row.id) : 0, isUnknown }
    })
  }
}

function keyOf(uri: string | undefined, collection: string): Key | undefined {
  const match = uri === undefined ? null : AT_URI.exec(uri)
  return match?.[2] === collection ? { did: match[1]!, rkey: match[3]! } : undefined
}

function nameOf(did: string, rkey: string): string {
  return `${did}/${rkey}`
}
