// What every loader of this directory needs: statements, prepared once per connection (`Readers`), and caches
// kept across requests; also the empty states that they fill for one request.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import type { Labelers } from '../../base/atproto/labelers.ts'
import type { TagRules } from '../../base/atproto/tag-rules.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import { prepareActivitySubscriptions } from '../../data/store/read/accounts/activity-subscriptions.ts'
import { type ActorRow, prepareActors } from '../../data/store/read/accounts/actors.ts'
import { prepareBlockPairs } from '../../data/store/read/accounts/block-pairs.ts'
import { prepareRelations } from '../../data/store/read/accounts/relations.ts'
import type { Db } from '../../data/store/read/id-list.ts'
import type { ListOptOuts } from '../../data/store/read/lists/list-opt-outs.ts'
import { prepareLists } from '../../data/store/read/lists/lists.ts'
import { preparePacks } from '../../data/store/read/lists/packs.ts'
import { prepareLabels } from '../../data/store/read/moderation/labels.ts'
import { prepareTags } from '../../data/store/read/moderation/moderation-tags.ts'
import { prepareTakedowns } from '../../data/store/read/moderation/takedowns.ts'
import { prepareNotifications } from '../../data/store/read/notifications.ts'
import { prepareGates } from '../../data/store/read/posts/gates.ts'
import { preparePostViewers } from '../../data/store/read/posts/post-viewers.ts'
import { type PostRow, preparePosts } from '../../data/store/read/posts/posts.ts'
import { prepareReposts, type RepostRow } from '../../data/store/read/posts/reposts.ts'
import { prepareAssociated } from '../../data/store/read/records/associated-records.ts'
import { prepareRecords } from '../../data/store/read/records/records.ts'
import type { CachedRows } from './cached-rows.ts'
import type { KnownLikersReader } from './known-likers.ts'
import { blockedPairs } from './load/blocked-pairs.ts'
import type { Reader } from './reader.ts'
import type { OnUnusable } from './shapes/parse-record.ts'
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

type Readers = ReturnType<typeof prepareReaders>

export type HydratorContext = {
  /** A connection used only for reading. */
  db: Db
  actors: ActorReader
  graph: FollowGraphReader
  urls: MediaUrls
  /** DIDs of the issuers whose verifications profiles show. */
  trustedVerifiers?: readonly string[] | undefined
  /** What moderators' tags do; if omitted, nothing. */
  tagRules?: TagRules | undefined
  /** Called with the subjects (DIDs and at-URIs) whose labels were read for a viewer. */
  onLabelsRead?: (viewer: Viewer, labelers: Labelers, subjects: readonly string[]) => void
  /** Called with the posts.id whose counts were read to be shown. */
  onCountsRead?: ((posts: readonly number[]) => void) | undefined
  /** Called for stored records that could not be used, to count them. */
  onUnusable?: OnUnusable
}

export type Loader = {
  readers: Readers
  optOuts: ListOptOuts
  context: HydratorContext
  knownLikers: KnownLikersReader
  onUnusable: OnUnusable
  cachedActors: CachedRows<ActorRow, Actor>
  cachedPosts: CachedRows<PostRow, CachedPost>
  cachedReposts: CachedRows<RepostRow, Repost>
}

/** `post` is undefined if there is no record: the post is a stub or deleted. */
export type CachedPost = { ref: PostRef; post: Post | undefined }

export function prepareReaders(db: Db) {
  return {
    activitySubscriptions: prepareActivitySubscriptions(db),
    actors: prepareActors(db),
    associated: prepareAssociated(db),
    blockPairs: prepareBlockPairs(db),
    gates: prepareGates(db),
    labels: prepareLabels(db),
    lists: prepareLists(db),
    notifications: prepareNotifications(db),
    packs: preparePacks(db),
    posts: preparePosts(db),
    postViewers: preparePostViewers(db),
    records: prepareRecords(db),
    relations: prepareRelations(db),
    reposts: prepareReposts(db),
    tags: prepareTags(db),
    takedowns: prepareTakedowns(db),
  }
}

export function emptyProfileState(
  { viewer, labelers, now, seesTakenDown }: Reader,
  urls: MediaUrls,
): ProfileState {
  return {
    viewer,
    labelers,
    forEveryone: undefined,
    urls,
    now,
    seesTakenDown,
    actors: new Map(),
    about: new Map(),
    records: new Map(),
    joins: new Map(),
    packs: new Map(),
    recordCounts: new Map(),
    relations: new Map(),
    lists: new Map(),
    viewerLists: new Set(),
    blocks: blockedPairs([]),
    knownFollowers: new Map(),
    labels: new Map(),
    activitySubscriptions: new Map(),
    listCounts: new Map(),
  }
}

export function emptyFeedState(reader: Reader, urls: MediaUrls): FeedState {
  return {
    ...emptyProfileState(reader, urls),
    items: new Map(),
    posts: new Map(),
    takenDown: new Map(),
    postRefs: new Map(),
    reposts: new Map(),
    threadgates: new Map(),
    postgates: new Map(),
    postViewers: new Map(),
    associated: new Map(),
    associatedRows: new Map(),
    labelledAssociated: new Set(),
    knownLikers: new Map(),
  }
}
