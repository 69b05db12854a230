// The interface of hydration: ids go in, a state (types.ts) comes out.

import type { KnownLikersReader } from './known-likers.ts'
import type { NotificationState } from './notification-types.ts'
import type { Reader } from './reader.ts'
import type { ThreadHydration, ThreadState } from './thread-types.ts'
import type {
  AccountPair,
  BlockedPairs,
  FeedState,
  Labelled,
  PostCounts,
  PostViewer,
  ProfileState,
} from './types.ts'

/** Reads rows synchronously. Ids without a row are absent from the state. */
export type Hydrator = {
  /**
   * Loads everything needed to present these feed items (data/store/timelines/item-ids.ts): posts, reposts,
   * parents, roots, grandparent authors, embeds to depth 2, gates, lists of gates, counts, actors,
   * viewer state, blocks and mutes. Present with `answers/views/posts/feed-view-post.ts`, filter with
   * `answers/views/rules.ts`.
   */
  feed(items: readonly number[], reader: Reader, options?: PostOptions): FeedState
  /** The same for single posts. Present with `answers/views/posts/post-view.ts`. */
  posts(postIds: readonly number[], reader: Reader, options?: PostOptions): FeedState
  /** Present with `answers/views/profiles/profile-views.ts` or `answers/views/profiles/relationship.ts`. */
  profiles(uids: readonly number[], reader: Reader, options?: ProfileOptions): ProfileState
  /**
   * Feed generators, starter packs and labelers by at-URI, with their creators. Present with
   * `answers/views/generator-view.ts` and similar.
   */
  records(uris: readonly string[], reader: Reader, options?: RecordOptions): ProfileState
  /** The account's items on the lists of starter packs loaded with their content, by at-URI. */
  memberships(state: ProfileState, uid: number): Map<string, string>
  /**
   * Which posts of a thread are shown, and how. Present with `answers/views/threads/thread-v2.ts` and
   * similar.
   */
  thread(request: ThreadHydration, reader: Reader): ThreadState
  /** By notifications.id. Present and filter with `answers/views/notification-view.ts`. */
  notifications(ids: readonly number[], reader: Reader): NotificationState
  /** By lists.id. Present with `answers/views/list-view.ts`. */
  lists(listIds: readonly number[], reader: Reader): ProfileState
  /** Only the relations and lists between the viewer and these accounts. */
  relations(uids: readonly number[], reader: Reader): ProfileState
  /** Only the viewer's own actions; no entry if there are none. */
  postViewers(postIds: readonly number[], reader: Reader): Map<number, PostViewer>
  /** Zeros for posts without counts. */
  postCounts(postIds: readonly number[]): Map<number, PostCounts>
  /** Labels by the reader's labelers on the subjects (DIDs and at-URIs). */
  labels(subjects: readonly string[], reader: Reader): ProfileState['labels']
  /** Labels by the reader's labelers on these accounts and posts; no entry if there are none. */
  labelled(
    subjects: { accounts: readonly number[]; posts: readonly number[] },
    reader: Reader,
  ): { accounts: Map<number, Labelled>; posts: Map<number, Labelled> }
  readonly knownLikers: KnownLikersReader
  /** Which of these pairs have a block between them. */
  blocks(pairs: readonly AccountPair[], reader: Reader): BlockedPairs
}

/** Which posts show who of those that the viewer follows likes them. */
export type LikersOf =
  /** Those that reply to nothing. As in the reference, an item of a feed shows its root's. */
  'roots' | 'all'

export type PostOptions = {
  /** If omitted, none. Posts that are not in front (load-posts.ts) never do. */
  knownLikers?: LikersOf
}

export type RecordOptions = {
  /** For starter packs, also the feeds and members they show. */
  content?: boolean
  /** Also this account's profile. */
  alsoProfile?: number
}

export type ProfileOptions = {
  /** Also the fields only profileViewDetailed has (counts of lists). */
  detailed?: boolean
  /** Also `viewer.knownFollowers`, with the profiles it shows: for all accounts, or for these. */
  knownFollowers?: boolean | readonly number[]
  /** Pairs of accounts (a followed account and a follower) whose blocks go into `blocks`. */
  blockPairs?: readonly AccountPair[]
}
