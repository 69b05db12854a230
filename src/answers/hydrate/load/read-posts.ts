// Posts: turns rows into Posts. Most of a Post is cached across requests (cached-rows.ts).

import { recordUri } from '../../../base/atproto/at-uri.ts'
import { unpackCid } from '../../../base/atproto/keys.ts'
import { VIOLATES_POSTGATE, VIOLATES_THREADGATE } from '../../../data/store/posts/post-flags.ts'
import { isWithoutRecord, PRESENT } from '../../../data/store/posts/posts.ts'
import { recordText } from '../../../data/store/posts/record-bytes.ts'
import type { PostRow } from '../../../data/store/read/posts/posts.ts'
import { type Found, isSameRow } from '../cached-rows.ts'
import type { CachedPost, Loader } from '../page.ts'
import { parseRecord } from '../shapes/parse-record.ts'
import { isSoundPost } from '../shapes/record-shapes.ts'
import type { Post } from '../types.ts'
import { embeddedRecord } from './embedded-record.ts'
import { toPostCounts } from './post-counts.ts'

const POST = 'app.bsky.feed.post'
const LIST = 'app.bsky.graph.list'
const VERSION = 3
/** Approximate bytes of a Post without its record, and of a record per character of its JSON. */
const POST_BYTES = 1_500
const BYTES_A_CHARACTER = 4

/** The parts that change only with the version, not with the row's other scalars. */
type PostText = Pick<Post, 'uri'> & { content: Content | undefined; bytes: number }
type Content = Pick<Post, 'characters' | 'cid' | 'record'>

/** Returns one entry for each id that has a row. */
export function readPosts(loader: Loader, ids: readonly number[]): CachedPost[] {
  const rows = loader.readers.posts.rows(ids)
  loader.context.onCountsRead?.(ids)
  const texts = readTexts(loader, rows)
  return rows.map((row) => {
    const found = loader.cachedPosts.find(row[0])
    if (found && isSameRow(found.row, row) && isSettled(loader, found.value.post))
      return found.value
    return makePost(loader, row, texts.get(row[0]) ?? textOf(found!))
  })
}

/** Reads the keys and records whose current version is not cached. */
function readTexts(loader: Loader, rows: PostRow[]): Map<number, PostText> {
  const unread = rows.filter(
    (row) => loader.cachedPosts.find(row[0])?.row[VERSION] !== row[VERSION],
  )
  const texts = new Map<number, PostText>()
  if (unread.length === 0) return texts
  const uids = new Map(unread.map((row) => [row[0], row[1]]))
  for (const [id, rkey, cid, stored] of loader.readers.posts.texts(uids.keys())) {
    const json = recordText(stored)
    const uri = recordUri(loader.context.actors.didOf(uids.get(id)!), POST, rkey)
    const bytes = POST_BYTES + (json?.length ?? 0) * BYTES_A_CHARACTER
    texts.set(id, { uri, content: cid ? parseContent(loader, cid, json) : undefined, bytes })
  }
  return texts
}

function parseContent(loader: Loader, cid: Buffer, json: string | null): Content | undefined {
  const record = parseRecord<Post['record']>(json, {
    kind: 'post',
    isSound: isSoundPost,
    onUnusable: loader.onUnusable,
  })
  return record && { cid: unpackCid(cid), record, characters: json?.length ?? 0 }
}

function textOf({ value: { ref, post }, bytes }: Found<PostRow, CachedPost>): PostText {
  return { uri: ref.uri, content: post, bytes }
}

function makePost(loader: Loader, row: PostRow, { uri, content, bytes }: PostText): CachedPost {
  const [id, uid, state, , sortAt] = row
  const ref = { id, uid, uri, isStub: isWithoutRecord(state) }
  const isPresent = state === PRESENT && sortAt !== null
  const post = isPresent && content ? toPost(loader, row, { ...content, ...ref }) : undefined
  const made = { ref, post }
  const isUnusable = isPresent && !content
  if (!isUnusable) loader.cachedPosts.add(id, row, made, bytes)
  return made
}

function toPost(
  loader: Loader,
  [, , , , sortAt, root, parent, quote, flags, ...counts]: PostRow,
  { id, uid, uri, isStub, cid, record, characters }: CachedPost['ref'] & Content,
): Post {
  return {
    id,
    uid,
    uri,
    isStub,
    cid,
    record,
    characters,
    sortAt: sortAt!,
    ...toPostCounts(counts),
    root: root ?? undefined,
    parent: parent ?? undefined,
    embedded: embeddedRecord(record, quote, {
      actors: loader.context.actors,
      lists: loader.readers.lists,
    }),
    violatesThreadgate: (flags & VIOLATES_THREADGATE) !== 0,
    violatesPostgate: (flags & VIOLATES_POSTGATE) !== 0,
  }
}

/**
 * Whether the post's embed still resolves to the same record although its row is unchanged: an
 * unknown account may be known by now, and lists are added and deleted.
 */
function isSettled(loader: Loader, post: Post | undefined): boolean {
  if (!post?.embedded) return true
  const { collection, did, uid } = post.embedded
  return collection !== LIST && did !== '' && loader.context.actors.uidOf(did) === uid
}
