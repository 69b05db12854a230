// Maps at-URIs of posts and reposts to rows and back, and reads posts' counts: nearly every call begins or
// ends with these. Reads in batches, and only what is not cached (memory.ts).

import { recordUri } from '../../../base/atproto/at-uri.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { Db } from '../../../data/store/db.ts'
import type { PostCountsRow, PostReader } from '../../../data/store/read/posts/posts.ts'
import { createPostsByUri, kindOfPost } from '../../../data/store/read/posts/posts-by-uri.ts'
import type { prepareReposts } from '../../../data/store/read/posts/reposts.ts'
import type { Memory, NamedPost, NamedRepost } from './memory.ts'
import { recalled, recalledByPosition } from './recent.ts'

type Dependencies = {
  db: Db
  actors: ActorReader
  memory: Memory
  posts: PostReader
  reposts: ReturnType<typeof prepareReposts>
}

const POST = 'app.bsky.feed.post'
const REPOST = 'app.bsky.feed.repost'
const NO_COUNTS: PostCountsRow = [0, 0, 0, 0, 0, 0]

/** In the order of `posts`; 0 for unknown posts. */
export function idsOf(posts: readonly (NamedPost | undefined)[]): number[] {
  return posts.map((post) => post?.id ?? 0)
}

export function createNames({ db, actors, memory, posts: reader, reposts }: Dependencies) {
  const byUri = createPostsByUri({ db, actors })
  const add = (post: NamedPost): NamedPost => {
    memory.addPost(post)
    return post
  }

  function readReposts(ids: readonly number[]): [number, NamedRepost][] {
    const keys = new Map(reposts.texts(ids).map(([id, rkey]) => [id, rkey]))
    return reposts.rows(ids).map(([id, uid, subject]) => {
      const repost = { uri: recordUri(actors.didOf(uid), REPOST, keys.get(id)!), subject }
      memory.addRepost(id, repost)
      return [id, repost]
    })
  }

  const posts = {
    cached: memory.findPost,
    read: (unknown: string[]): [string, NamedPost][] =>
      Array.from(byUri(unknown), ([uri, post]) => [uri, add({ ...post, uri })]),
  }
  const counts = {
    cached: (id: number) => (id === 0 ? NO_COUNTS : memory.counts.get(id)),
    read: (unknown: number[]): [number, PostCountsRow][] =>
      reader.counts(unknown).map((row) => {
        memory.counts.set(row[0], row)
        return [row[0], row]
      }),
  }

  return {
    /** Unknown posts have no entry. */
    postsByUri: (uris: Iterable<string>): Map<string, NamedPost> => recalled(uris, posts),

    /** In the order of `uris`; undefined for unknown posts. */
    postsOf: (uris: readonly string[]): (NamedPost | undefined)[] =>
      recalledByPosition(uris, posts),

    /** at-URIs of posts by posts.id. */
    postUris(ids: Iterable<number>, isVisible = (_: NamedPost) => true): Map<number, string> {
      const found = recalled(ids, {
        cached: (id) => memory.postNames.get(id),
        read: (unknown) =>
          reader.keys(unknown).map(({ id, uid, rkey, state }) => {
            const uri = recordUri(actors.didOf(uid), POST, rkey)
            return [id, add({ id, is: kindOfPost(state), uri })]
          }),
      })
      const visible = [...found.values()].filter(isVisible)
      return new Map(visible.map(({ id, uri }) => [id, uri]))
    },

    /** In the order of `ids`; 0 is an unknown post. */
    postCounts: (ids: readonly number[]): (PostCountsRow | undefined)[] =>
      recalledByPosition(ids, counts),

    /** By reposts.id. */
    repostsById: (ids: readonly number[]): Map<number, NamedRepost> =>
      recalled(ids, { cached: (id) => memory.reposts.get(id), read: readReposts }),
  }
}
