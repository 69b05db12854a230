// The state that an answer's ids are hydrated to: the interface between `answers/hydrate/` (loads it,
// batched), `answers/views/` (turns it into lexicon views, purely) and the handlers (filter by
// `answers/views/rules.ts`). Everything is keyed by our integers: actors by `actors.uid`, posts by
// `posts.id`, reposts by `reposts.id`, lists by `lists.id`, feed items by data/store/timelines/item-ids.ts. A state
// belongs to one request, is read in one transaction and holds each thing once.

import type {
  AppBskyActorProfile,
  AppBskyFeedPost,
  AppBskyFeedPostgate,
  AppBskyFeedThreadgate,
  AppBskyGraphList,
  ComAtprotoLabelDefs,
} from '@atproto/api'
import type { Labelers } from '../../base/atproto/labelers.ts'
import type {
  AboutActor,
  AssociatedRecord,
  Joins,
  PackContent,
  StoredRecord,
} from './stored-records.ts'

/**
 * The viewer; undefined for anonymous. `uid` is 0 for a verified viewer without a row yet: views
 * then carry empty viewer objects.
 */
export type Viewer =
  | {
      uid: number
      did: string
      /** Set for the operator's moderation services: no block hides anything from them. */
      seesThroughBlocks?: boolean
      /**
       * Set for a reading link, whose holder need not be the viewer: nothing is muted, bookmarked
       * or subscribed to, neither shown nor applied.
       */
      withoutPrivateState?: boolean
    }
  | undefined

export type AccountPair = readonly [uid: number, otherUid: number]

/** URLs of images and videos, by the configured patterns. See answers/views/media-urls.ts. */
export type MediaUrls = {
  image(preset: ImagePreset, did: string, cid: string): string
  /** `rkey`: of the post that shows the video, if known. */
  videoPlaylist(did: string, cid: string, rkey?: string): string
  videoThumbnail(did: string, cid: string): string
}

type ImagePreset = 'avatar' | 'banner' | 'feed_thumbnail' | 'feed_fullsize'

/**
 * Receives the assumptions of views built once for every viewer (answers/cache/). In such a state,
 * views leave slots (answers/views/json/slots.ts) for whatever depends on the viewer.
 */
export type ForEveryone = {
  /** The view is valid only for viewers with no block between them and the account. */
  assumeNoBlock(uid: number): void
  /** The view is valid only for viewers other than the account itself. */
  assumeNotViewer(uid: number): void
  /** The view is valid only until then; milliseconds since 1970. */
  assumeBefore(ms: number): void
  /** When the state was read. */
  now: number
  /** The view cannot be built for everyone. */
  refuse(): void
}

export type ProfileState = {
  viewer: Viewer
  /** The labelers whose labels count. */
  labelers: Labelers
  /** Undefined in the state of a single request. */
  forEveryone: ForEveryone | undefined
  /** Whether records that were taken down are included. */
  seesTakenDown: boolean
  urls: MediaUrls
  /** When the state was read; milliseconds since 1970. */
  now: number
  actors: Map<number, Actor>
  /** No entry if there is nothing to show. */
  about: Map<number, AboutActor>
  /**
   * Labels by the request's labelers, keyed by DID or at-URI; no entry if there are none. Empty in
   * a state for everyone.
   */
  labels: Map<string, SubjectLabels>
  /** By at-URI; only records in our index. */
  records: Map<string, StoredRecord>
  /** By a starter pack's at-URI; no entry if there are no joins. */
  joins: Map<string, Joins>
  /** By a starter pack's at-URI, if requested. */
  packs: Map<string, PackContent>
  /** Number of feed generators and starter packs created by an account; only for `detailed`. */
  recordCounts: Map<number, { feedgens: number; starterPacks: number }>
  /** Relations of the viewer to accounts; empty if anonymous, no entry if there is no relation. */
  relations: Map<number, Relation>
  /**
   * Lists shown: those of gates, embeds and list blocks. Only lists whose record is in our index.
   */
  lists: Map<number, List>
  /** ids of the lists allowed by gates that the viewer is on. */
  viewerLists: Set<number>
  /**
   * Pairs of accounts, other than the viewer, with a block in either direction, direct or by list.
   */
  blocks: BlockedPairs
  /** By subject; no entry if there are none. */
  knownFollowers: Map<number, KnownFollowers>
  /** The viewer's activity subscriptions, by account; only for `detailed`. */
  activitySubscriptions: Map<number, { post: boolean; reply: boolean }>
  /** Number of lists created by an account; only for `detailed`. */
  listCounts: Map<number, number>
}

export type FeedState = ProfileState & {
  /** Each requested item, decoded; no entry if its row is gone. */
  items: Map<number, FeedItem>
  /** Posts whose record is present. */
  posts: Map<number, Post>
  /**
   * Posts taken down by labelers and so removed from `posts`; blocks with their authors still
   * count.
   */
  takenDown: Map<number, Post>
  /** Every post that the state points at, present or not. */
  postRefs: Map<number, PostRef>
  reposts: Map<number, Repost>
  /** By the gated post's id. */
  threadgates: Map<number, Threadgate>
  postgates: Map<number, Postgate>
  /** The viewer's own actions, by post id; no entry if there are none. */
  postViewers: Map<number, PostViewer>
  /** Named by posts' link cards, by at-URI and CID (load-associated.ts); only versions in our index. */
  associated: Map<string, AssociatedRecord>
  /** associated_records.id of those and of versions that are still awaited, in the same way. */
  associatedRows: Map<string, number>
  /** Keys of those among them that any labeler labelled. */
  labelledAssociated: Set<string>
  /** By post id, for posts that show them; no entry if there are none. */
  knownLikers: Map<number, KnownLikers>
}

/** Only labelers that may redact set the flags. See load-labels.ts. */
export type SubjectLabels = {
  labels: ComAtprotoLabelDefs.Label[]
  isTakenDown: boolean
  /** In some views, shown only to its creator and their followers. */
  needsReview: boolean
  isImpersonation: boolean
}

/** For an account: its own labels, then those of its profile. */
export type Labelled = {
  labels: ComAtprotoLabelDefs.Label[]
  /** The labels may change more of a view than the labels it shows, or may expire. */
  isActedUpon: boolean
}

/** Why the account's content is hidden; undefined if it is not. */
export type HiddenAs = 'deactivated' | 'suspended' | 'takendown' | 'deleted'

export type Actor = {
  uid: number
  did: string
  /** Verified in both directions, or `handle.invalid`. */
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
  /** As claimed by the record; milliseconds. */
  createdAt: number | undefined
  /** The earlier of the claimed time and our own; milliseconds. */
  sortAt: number
}

/**
 * The viewer's relation to an account: at-URIs of the records, and list ids of moderation lists in
 * force.
 */
export type Relation = {
  /** Full mute of the account itself; false if one of the next two narrows the mute. */
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
  /** Symmetric; false between an account and itself, and for pairs that were not loaded. */
  has(uid: number, otherUid: number): boolean
  /** Whether `has` may differ for requests with other labelers (load-blocks.ts). */
  isDisputed(uid: number, otherUid: number): boolean
}

export type KnownFollowers = {
  /** Before any filtering. */
  count: number
  /** uids of the first five. */
  followers: number[]
}

export type KnownLikers = {
  /** All of them, before blocks. */
  count: number
  /** The newest few, of which the first that no block hides are shown. */
  uids: readonly number[]
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
  /** at-URI of the viewer's opt-out from this list. */
  optOutOfViewer: string | undefined
  mutedByViewer: boolean
}

type FeedItem = {
  post: number
  /** reposts.id if the item is a repost. */
  repost: number | undefined
}

/** Identifies a post and its author. */
export type PostRef = {
  id: number
  uid: number
  uri: string
  /** The post is only pointed at: not indexed, and not known to be deleted or missing. */
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
    /** Of the record's JSON. */
    characters: number
    sortAt: number
    /** Set only for replies whose refs name posts. */
    root: number | undefined
    parent: number | undefined
    /** The target of `embed.record`. */
    embedded: EmbeddedRecord | undefined
    violatesThreadgate: boolean
    violatesPostgate: boolean
  }

export type EmbeddedRecord = {
  uri: string
  did: string
  collection: string
  /** The record's creator; 0 if unknown to us. */
  uid: number
  /** posts.id or lists.id by collection, if there is a row. */
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
  /** lists.id of its list rules, in order, if there is a row. */
  lists: number[]
}

export type Postgate = { record: AppBskyFeedPostgate.Record }

export type PostViewer = {
  /** at-URIs. */
  like: string | undefined
  repost: string | undefined
  bookmarked: boolean
  /** Whether the viewer muted the post's thread. */
  threadMuted: boolean
}
