// How hydration is asked: what goes in are ids, what comes out is a state (types.ts).

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

/** Reads rows; synchronous. Ids that lead nowhere are simply absent from the state. */
export type Hydrator = {
  /**
   * Everything needed to present these feed items (data/store/item-ids.ts): posts, reposts, parents,
   * roots, grandparent authors, embeds to depth 2, gates, lists of gates, counts, actors, viewer
   * state, blocks and mutes. Present with `answers/views/feed-view-post.ts`, filter with `answers/views/rules.ts`.
   */
  feed(items: readonly number[], reader: Reader): FeedState
  /** The same for posts alone. Present with `answers/views/post-view.ts`. */
  posts(postIds: readonly number[], reader: Reader): FeedState
  /** Present with `answers/views/profile-views.ts` or `answers/views/relationship.ts`. */
  profiles(uids: readonly number[], reader: Reader, options?: ProfileOptions): ProfileState
  /**
   * Feed generators, starter packs and labelers by at-URI, with their creators. Present with
   * `answers/views/generator-view.ts` and its like.
   */
  records(uris: readonly string[], reader: Reader, options?: RecordOptions): ProfileState
  /** Of starter packs loaded with their content: the account's items on their lists, by at-URI. */
  memberships(state: ProfileState, uid: number): Map<string, string>
  /** Which posts of a thread are shown, and as what. Present with `answers/views/thread-v2.ts` and its like. */
  thread(request: ThreadHydration, reader: Reader): ThreadState
  /** By notifications.id. Present and filter with `answers/views/notification-view.ts`. */
  notifications(ids: readonly number[], reader: Reader): NotificationState
  /** By lists.id. Present with `answers/views/list-view.ts`. */
  lists(listIds: readonly number[], reader: Reader): ProfileState
  /** Only what stands between the viewer and these accounts: relations and lists. */
  relations(uids: readonly number[], reader: Reader): ProfileState
  /** Only the viewer's own doings; no entry where there are none. */
  postViewers(postIds: readonly number[], reader: Reader): Map<number, PostViewer>
  /** Zeros for posts without any. */
  postCounts(postIds: readonly number[]): Map<number, PostCounts>
  /** What the reader's labelers say about the subjects, DIDs and at-URIs. */
  labels(subjects: readonly string[], reader: Reader): ProfileState['labels']
  /** What they say of these; no entry where they say nothing. */
  labelled(
    subjects: { accounts: readonly number[]; posts: readonly number[] },
    reader: Reader,
  ): { accounts: Map<number, Labelled>; posts: Map<number, Labelled> }
  /** Which of these pairs have a block between them. */
  blocks(pairs: readonly AccountPair[], reader: Reader): BlockedPairs
}

export type RecordOptions = {
  /** Of starter packs, also the feeds and members that they show. */
  content?: boolean
  /** This account's profile too. */
  alsoProfile?: number
}

export type ProfileOptions = {
  /** Also what only profileViewDetailed shows (counts of lists). */
  detailed?: boolean
  /** Also `viewer.knownFollowers`, with the profiles it shows: of all, or of these. */
  knownFollowers?: boolean | readonly number[]
  /** Accounts between whom blocks matter (a followed account and its followers), for `blocks`. */
  blockPairs?: readonly AccountPair[]
}
