// Cache shared between calls. A page of the frontend takes some twenty calls about the same posts and
// accounts, and the next page needs many of them again. So names, counts, encoded records and a viewer's
// reactions are read once and kept until an invalidation (data/shared-memory/invalidation-ring.ts) names
// them. Each call takes pending invalidations at its start (service.ts), and then reads synchronously.
// Without a ring, each call starts with an empty cache.

import { KnownBlocks } from '../../../answers/cache/known-blocks.ts'
import type { Hydrator } from '../../../answers/hydrate/hydrator-types.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import { INVALIDATION } from '../../../data/shared-memory/invalidation-kinds.ts'
import type { InvalidationReader } from '../../../data/shared-memory/invalidation-ring.ts'
import type { Db } from '../../../data/store/db.ts'
import type { PostCountsRow } from '../../../data/store/read/posts/posts.ts'
import type { PostByUri } from '../../../data/store/read/posts/posts-by-uri.ts'
import { CachedHeads } from '../../../data/store/timelines/cached-heads.ts'
import { Labelled } from './labelled.ts'
import { Recent } from './recent.ts'
import { ViewerFacts } from './viewer-facts.ts'

export type NamedPost = PostByUri & { uri: string }
export type NamedRepost = { uri: string; subject: number }
/** Encoded as in an answer; `root`: posts.id of the thread's root, or the post's own. */
export type EncodedPost = { record: Uint8Array; meta: Uint8Array; root: number }

/** Valid as long as `repost` and `subject` are still the same objects. */
type EncodedRepost = { repost: NamedRepost; subject: NamedPost; record: Uint8Array }

/** Names and counts take a few hundred bytes each. */
const MAX_NAMES = 60_000
/** Limit for posts, and again for accounts. */
const MAX_ENCODED_BYTES = 24 << 20
const ENTRY_BYTES = 300

export type Memory = ReturnType<typeof createMemory>
type Cached = ReturnType<typeof createStored>

type Dependencies = {
  db: Db
  actors: ActorReader
  hydrator: Pick<Hydrator, 'blocks'>
  invalidations: InvalidationReader | undefined
}

export function createMemory(parts: Dependencies) {
  const { invalidations } = parts
  const heads = createStored(parts)
  return {
    ...heads,

    /** Call before reading anything. */
    takeInvalidations(): void {
      const isComplete = invalidations?.take((kind, a, b) => forget(heads, kind, a, b))
      if (!isComplete) forgetAll(heads)
    },

    /** Whether the operator hides, or tags, anything at all. */
    isAny(what: 'hidden' | 'tagged', read: () => boolean): boolean {
      heads.moderated[what] ??= read()
      return heads.moderated[what]
    },

    addRepost(id: number, repost: NamedRepost): void {
      heads.repostIds.set(repost.uri, { id })
      heads.reposts.set(id, repost)
    },

    /** Returns the rows that a repost's record is made of. */
    sourcesOf(uri: string): Omit<EncodedRepost, 'record'> | undefined {
      const repost = heads.reposts.get(heads.repostIds.get(uri)?.id ?? 0)
      const subject = repost && heads.postNames.get(repost.subject)
      return subject && { repost, subject }
    },

    addPost(post: NamedPost): void {
      heads.postIds.set(post.uri, post)
      heads.postNames.set(post.id, post)
    },
  }
}

function createStored({ db, actors, hydrator }: Dependencies) {
  const postIds = new Recent<string, { id: number }>(MAX_NAMES)
  const postNames = new Recent<number, NamedPost>(MAX_NAMES)
  const findPost = (uri: string): NamedPost | undefined => {
    const known = postIds.get(uri)
    return known && postNames.get(known.id)
  }
  return {
    /** A URI's post never changes; only `postNames` holds the post's state. */
    postIds,
    postNames,
    findPost,
    labelled: new Labelled({ db, actors, hasPost: (uri) => findPost(uri) !== undefined }),
    repostIds: new Recent<string, { id: number }>(MAX_NAMES),
    reposts: new Recent<number, NamedRepost>(MAX_NAMES),
    repostRecords: new Recent<string, EncodedRepost>(MAX_NAMES),
    counts: new Recent<number, PostCountsRow>(MAX_NAMES),
    posts: new Recent<number, EncodedPost>(
      MAX_ENCODED_BYTES,
      ({ record, meta }) => record.length + meta.length + ENTRY_BYTES,
    ),
    actors: new Recent<number, Uint8Array>(
      MAX_ENCODED_BYTES,
      (bytes) => bytes.length + ENTRY_BYTES,
    ),
    viewers: new ViewerFacts(),
    heads: new CachedHeads(),
    blocks: new KnownBlocks(hydrator),
    moderated: { ...UNKNOWN },
  }
}

const UNKNOWN: Record<'hidden' | 'tagged', boolean | undefined> = {
  hidden: undefined,
  tagged: undefined,
}

/** Drops exactly the entries derived from the named rows. */
function forget(heads: Cached, kind: number, a: number, b: number): void {
  const { blocks, moderated, viewers } = heads
  switch (kind) {
    case INVALIDATION.post:
      moderated.hidden = undefined
      heads.postNames.delete(a)
      return heads.posts.delete(a)
    case INVALIDATION.counts:
      return heads.counts.delete(a)
    case INVALIDATION.repost:
      return heads.reposts.delete(a)
    case INVALIDATION.reaction:
      return viewers.forgetPost(a, b)
    case INVALIDATION.reactions:
      return viewers.forgetPosts(a)
    case INVALIDATION.actor:
      Object.assign(moderated, UNKNOWN)
      return heads.actors.delete(a)
    case INVALIDATION.relation:
      return viewers.forgetBetween(a, b)
    case INVALIDATION.block:
      blocks.forget(a, b)
      return viewers.forgetBetween(a, b)
    case INVALIDATION.relations:
      blocks.forgetAllOf(a)
      return viewers.forgetAllBetween(a)
    case INVALIDATION.feed:
      return heads.heads.forget(a)
    case INVALIDATION.label:
      return heads.labelled.forget(a)
    // Accounts' counts, lists and custom timelines are not cached.
    case INVALIDATION.actorCounts:
    case INVALIDATION.list:
    case INVALIDATION.ofFeature:
      return
    default:
      forgetAll(heads)
  }
}

function forgetAll(heads: Cached): void {
  Object.assign(heads.moderated, UNKNOWN)
  for (const recent of [heads.postIds, heads.repostIds, heads.repostRecords]) recent.clear()
  for (const recent of [heads.postNames, heads.reposts, heads.viewers]) recent.clear()
  for (const recent of [heads.counts, heads.posts, heads.actors]) recent.clear()
  heads.heads.forgetAll()
  heads.labelled.forgetAll()
  heads.blocks.forgetAll()
}
