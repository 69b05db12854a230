// What every loader of this room needs: statements, prepared once a connection (`Readers`), and what
// is kept from request to request; and the empty states that they fill for one request.

import type { ActorReader, FollowGraphReader } from '../graph/types.ts'
import { type ActorRow, prepareActors } from '../store/read/actors.ts'
import { prepareBlockPairs } from '../store/read/block-pairs.ts'
import { prepareGates } from '../store/read/gates.ts'
import type { Db } from '../store/read/id-list.ts'
import { prepareLists } from '../store/read/lists.ts'
import { preparePostViewers } from '../store/read/post-viewers.ts'
import { type PostRow, preparePosts } from '../store/read/posts.ts'
import { prepareRelations } from '../store/read/relations.ts'
import { prepareReposts, type RepostRow } from '../store/read/reposts.ts'
import { blockedPairs } from './blocked-pairs.ts'
import type { KeptRows } from './kept-rows.ts'
import type { OnUnusable } from './parse-record.ts'
import type {
  Actor,
  FeedState,
  MediaUrls,
  Post,
  PostRef,
  ProfileState,
  Repost,
  Viewer,
} from './types.ts'

export type Readers = ReturnType<typeof prepareReaders>

export type HydratorParts = {
  /** A connection that is only read from. */
  db: Db
  actors: ActorReader
  graph: FollowGraphReader
  urls: MediaUrls
  /** Told of stored records that could not be used; for counting. */
  onUnusable?: OnUnusable
}

export type Loader = {
  readers: Readers
  parts: HydratorParts
  onUnusable: OnUnusable
  keptActors: KeptRows<ActorRow, Actor>
  keptPosts: KeptRows<PostRow, KeptPost>
  keptReposts: KeptRows<RepostRow, Repost>
}

/** The post is undefined where there is no record: a stub, or deleted. */
export type KeptPost = { ref: PostRef; post: Post | undefined }

export function prepareReaders(db: Db) {
  return {
    actors: prepareActors(db),
    blockPairs: prepareBlockPairs(db),
    gates: prepareGates(db),
    lists: prepareLists(db),
    posts: preparePosts(db),
    postViewers: preparePostViewers(db),
    relations: prepareRelations(db),
    reposts: prepareReposts(db),
  }
}

export function emptyProfileState(viewer: Viewer, urls: MediaUrls): ProfileState {
  return {
    viewer,
    urls,
    actors: new Map(),
    relations: new Map(),
    lists: new Map(),
    viewerLists: new Set(),
    blocks: blockedPairs([]),
    knownFollowers: new Map(),
    listCounts: new Map(),
  }
}

export function emptyFeedState(viewer: Viewer, urls: MediaUrls): FeedState {
  return {
    ...emptyProfileState(viewer, urls),
    items: new Map(),
    posts: new Map(),
    postRefs: new Map(),
    reposts: new Map(),
    threadgates: new Map(),
    postgates: new Map(),
    postViewers: new Map(),
  }
}
