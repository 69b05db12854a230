// What an answer's ids were hydrated to: the face between `answers/hydrate/` (loads it, batched), `answers/views/`
// (turns it into lexicon views, purely) and the handlers (which filter by `answers/views/rules.ts`). Everything is
// keyed by our integers: actors by `actors.uid`, posts by `posts.id`, reposts by `reposts.id`, lists by `lists.id`,
// feed items by data/store/item-ids.ts. One state belongs to one request: it was read in one transaction and holds
// each thing once.

import type {
  AppBskyActorProfile,
  AppBskyFeedPost,
  AppBskyFeedPostgate,
  AppBskyFeedThreadgate,
  AppBskyGraphList,
  ComAtprotoLabelDefs,
} from '@atproto/api'
import type { Labelers } from './labelers.ts'
import type { AboutActor, Joins, PackContent, StoredRecord } from './stored-records.ts'

/**
 * Who asks; undefined for anonymous. `uid` is 0 where a verified viewer is not yet known to us:
 * then views carry viewer objects that say "nothing".
 */
export type Viewer =
  | {
      uid: number
      did: string
      /** One of the operator's moderation services, which no block keeps from what it looks at. */
      seesThroughBlocks?: boolean
    }
  | undefined

export type AccountPair = readonly [uid: number, otherUid: number]

/** Addresses of images and videos, by the configured patterns. See answers/views/media-urls.ts. */
export type MediaUrls = {
  image(preset: ImagePreset, did: string, cid: string): string
  /** `rkey`: of the post that shows it, where it is known. */
  videoPlaylist(did: string, cid: string, rkey?: string): string
  videoThumbnail(did: string, cid: string): string
}

type ImagePreset = 'avatar' | 'banner' | 'feed_thumbnail' | 'feed_fullsize'

/**
 * Told what views take for granted that are made once for every viewer (answers/cache/). In such a state
 * views leave slots (answers/views/slots.ts) where a viewer comes in.
 */
export type ForEveryone = {
  /** The view is right only for viewers with no block between them and the account. */
  assumeNoBlock(uid: number): void
  /** The view is right only for others than the account itself. */
  assumeNotViewer(uid: number): void
  /** What the view says of the time is right until then; milliseconds since 1970. */
  assumeBefore(ms: number): void
  /** When the state was read. */
  now: number
  /** The view can't be made for everyone. */
  refuse(): void
}

export type ProfileState = {
  viewer: Viewer
  /** Whose labels count. */
  labelers: Labelers
  /** Undefined in the state of one request. */
  forEveryone: ForEveryone | undefined
  /** Nothing is left out because it was taken down. */
  seesTakenDown: boolean
  urls: MediaUrls
  /** When it was read; milliseconds since 1970. */
  now: number
  actors: Map<number, Actor>
  /** No entry where there is nothing to say. */
  about: Map<number, AboutActor>
  /**
   * What the request's labelers say, by DID or at-URI; no entry where they say nothing. Nothing is in a
   * state for everyone.
   */
  labels: Map<string, SubjectLabels>
  /** By at-URI; only ones that we hold. */
  records: Map<string, StoredRecord>
  /** By a starter pack's at-URI; no entry where nobody joined. */
  joins: Map<string, Joins>
  /** By a starter pack's at-URI, where asked for. */
  packs: Map<string, PackContent>
  /** How many feed generators and starter packs an account made; only for `detailed`. */
  recordCounts: Map<number, { feedgens: number; starterPacks: number }>
  /** What stands between viewer and account; empty where anonymous, no entry where nothing does. */
  relations: Map<number, Relation>
  /** Lists shown: those of gates, embeds and list blocks. Only ones whose record we hold. */
  lists: Map<number, List>
  /** Of the lists that gates allow: ids of those that the viewer is on. */
  viewerLists: Set<number>
  /** Pairs of accounts, other than the viewer, with a block either way, direct or by list. */
  blocks: BlockedPairs
  /** By subject; no entry where there are none. */
  knownFollowers: Map<number, KnownFollowers>
  /** What of each account the viewer asked to be told of; only for `detailed`. */
  activitySubscriptions: Map<number, { post: boolean; reply: boolean }>
  /** How many lists an account made; only for `detailed`. */
  listCounts: Map<number, number>
}

export type FeedState = ProfileState & {
  /** Each item asked for, taken apart; no entry where its row is gone. */
  items: Map<number, FeedItem>
  /** Posts whose record is present. */
  posts: Map<number, Post>
  /** Taken down by labelers, and so in `posts` no more; blocks with their authors count as ever. */
  takenDown: Map<number, Post>
  /** Every post that something here points at, present or not. */
  postRefs: Map<number, PostRef>
  reposts: Map<number, Repost>
  /** By the gated post's id. */
  threadgates: Map<number, Threadgate>
  postgates: Map<number, Postgate>
  /** The viewer's own doings, by post id; no entry where there are none. */
  postViewers: Map<number, PostViewer>
}

/** The flags are set by labelers that may redact only. See load-labels.ts. */
export type SubjectLabels = {
  labels: ComAtprotoLabelDefs.Label[]
  isTakenDown: boolean
  /** Shown to its creator and their followers only, in places. */
  needsReview: boolean
  isImpersonation: boolean
}

/** Of an account: of itself and then of its profile. */
export type Labelled = {
  labels: ComAtprotoLabelDefs.Label[]
  /** They may change more in a view than what labels it shows, or end by themselves. */
  isActedUpon: boolean
}

/** Why an account's things are hidden; undefined where they aren't. */
export type HiddenAs = 'deactivated' | 'suspended' | 'takendown' | 'deleted'

export type Actor = {
  uid: number
  did: string
  /** Verified both ways, or `handle.invalid`. */
  handle: string
  hiddenAs: HiddenAs | undefined
  /** Undefined for accounts never seen with a profile. */
  profile: Profile | undefined
  followersCount: number
  followsCount: number
  postsCount: number
}

export type Profile = {
  cid: string
  record: AppBskyActorProfile.Record
  /** Claimed by the record; milliseconds. */
  createdAt: number | undefined
  /** The earlier of claimed and ours; milliseconds. */
  sortAt: number
}

/** Viewer → account. at-URIs of the records that say so; list ids of moderation lists in force. */
export type Relation = {
  /** Wholly, by the account itself; the next two narrow it, and then this is false. */
  muted: boolean
  mutedOnlyReposts: boolean
  mutedOnlyQuoteposts: boolean
  mutedByList: number | undefined
  following: string | undefined
  followedBy: string | undefined
  blocking: string | undefined
  blockedBy: string | undefined
  blockingByList: number | undefined
  blockedByList: number | undefined
}

export type BlockedPairs = {
  /** Symmetric; false for an account and itself, and for pairs that were not loaded. */
  has(uid: number, otherUid: number): boolean
  /** Whether `has` is another for requests with other labelers (load-blocks.ts). */
  isDisputed(uid: number, otherUid: number): boolean
}

export type KnownFollowers = {
  /** Before any filtering. */
  count: number
  /** uids of the first five. */
  followers: number[]
}

export type List = {
  id: number
  uid: number
  uri: string
  cid: string
  record: AppBskyGraphList.Record
  sortAt: number
  itemCount: number
  /** at-URI of the viewer's block of this list. */
  blockedByViewer: string | undefined
  /** at-URI by which the viewer opted out of this list. */
  optOutOfViewer: string | undefined
  mutedByViewer: boolean
}

type FeedItem = {
  post: number
  /** reposts.id, where the item is a repost. */
  repost: number | undefined
}

/** Enough to name a post, and to say whose it is. */
export type PostRef = {
  id: number
  uid: number
  uri: string
  /** Only ever pointed at: neither here, nor known to be deleted or missing. */
  isStub: boolean
}

export type PostCounts = {
  likeCount: number
  repostCount: number
  replyCount: number
  quoteCount: number
  bookmarkCount: number
}

export type Post = PostRef &
  PostCounts & {
    cid: string
    record: AppBskyFeedPost.Record
    sortAt: number
    /** Set for replies only, where they name posts. */
    root: number | undefined
    parent: number | undefined
    /** What `embed.record` points at. */
    embedded: EmbeddedRecord | undefined
    violatesThreadgate: boolean
    violatesPostgate: boolean
  }

export type EmbeddedRecord = {
  uri: string
  did: string
  collection: string
  /** The record's creator; 0 where unknown to us. */
  uid: number
  /** posts.id or lists.id by collection, where there is a row. */
  id: number | undefined
}

export type Repost = {
  id: number
  uid: number
  uri: string
  cid: string
  subject: number
  sortAt: number
}

export type Threadgate = {
  uri: string
  cid: string
  record: AppBskyFeedThreadgate.Record
  /** lists.id of its list rules, in order, where there is a row. */
  lists: number[]
}

export type Postgate = { record: AppBskyFeedPostgate.Record }

export type PostViewer = {
  /** at-URIs. */
  like: string | undefined
  repost: string | undefined
  bookmarked: boolean
  /** The thread that it is in. */
  threadMuted: boolean
}
