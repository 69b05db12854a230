// A cached view: the JSON of a view built once for every viewer and cut at its slots
// (answers/views/json/slots.ts), with the conditions to check before it is shown to a viewer.

import { isRepostItem, rowIdOf } from '../../data/store/timelines/item-ids.ts'
import { NO_NUMBERS } from '../views/json/number-list.ts'
import type { FeedItemAccounts } from '../views/rules.ts'

/** The kinds of cached view; each is keyed by the integer named. */
export const CACHED = {
  /** feedViewPost of a feed item. */
  item: 0,
  /** The same, shown as the post that its author pinned. */
  pinnedItem: 1,
  /** postView of posts.id. */
  post: 2,
  /** profileViewBasic of a uid. */
  profile: 3,
  /** profileView of a uid. */
  fullProfile: 4,
  /** Counts of posts.id. */
  counts: 5,
} as const

export type CachedKind = (typeof CACHED)[keyof typeof CACHED]
export const KINDS = Object.values(CACHED)

/** `refused`: the view cannot be shared between viewers and is rebuilt for each of them. */
type Showing = 'shown' | 'absent' | 'refused'

/**
 * Records and accounts an answer had to omit because the index lacks them: see
 * http/xrpc/waiting/fetch-requests.ts.
 */
export type Missing = {
  uris: readonly string[]
  dids: readonly string[]
  /** Posts whose link cards lack records, as `cardOfPost`. */
  cards: readonly string[]
}

export type ItemFacts = FeedItemAccounts & {
  /** posts.id of the shown post and of its parent (0: none), and whether the post is a reply. */
  post: number
  /** reposts.id if the item is a repost, otherwise 0. */
  repost: number
  parent: number
  isReply: boolean
  /** CID of the item itself: of the repost if it is one. Empty if its row is gone. */
  cid: string
}

export type CachedView = {
  showing: Showing
  /** Byte text around the slots, without the closing brace: one more piece than there are slots. */
  pieces: readonly string[]
  /** Kind and id of each slot, alternating. */
  slots: readonly number[]
  /** Accounts whose blocks with the viewer make this view unusable. */
  withoutBlocks: readonly number[]
  /**
   * Posts and accounts, as their `dependency`, that labelers may label. Views in slots list their
   * own.
   */
  labelSubjects: readonly number[]
  /** Where the view shows labels, in order: triples of subject, piece and offset in the piece. */
  labelSpots: readonly number[]
  missing: Missing | undefined
  /** The one account that may not be shown this view; 0 if there is none. */
  notFor: number
  /**
   * When the view expires and must be rebuilt, in milliseconds since 1970; undefined: never. A
   * number would lie elsewhere in memory, and every page asks for it 450 times.
   */
  before: number | undefined
  /**
   * Profiles only: a view containing this one is never written for visitors, but presented by the
   * slow path.
   */
  forMembersOnly: boolean
  /** The post's author; 0 for other kinds. */
  author: number
  /** Whether it is a post that replies to nothing. */
  isRoot: boolean
  /** Feed items only. */
  facts: ItemFacts | undefined
  /** What the view depends on, as `dependency`; its own row is implied. */
  dependencies: readonly number[]
  /** Set once an invalidation named it: pages written from it are no longer current. */
  isForgotten: boolean
}

export const ABSENT: CachedView = {
  showing: 'absent',
  pieces: [],
  slots: NO_NUMBERS,
  withoutBlocks: NO_NUMBERS,
  labelSubjects: NO_NUMBERS,
  labelSpots: NO_NUMBERS,
  missing: undefined,
  notFor: 0,
  before: undefined,
  forMembersOnly: false,
  author: 0,
  isRoot: false,
  facts: undefined,
  dependencies: NO_NUMBERS,
  isForgotten: false,
}

/** Approximate memory of a cached view and its map entry, as measured on the heap. */
export function cachedViewBytes(cachedView: CachedView): number {
  const { pieces, slots, withoutBlocks, labelSubjects, labelSpots, missing, facts } = cachedView
  const numbers = slots.length + withoutBlocks.length + labelSubjects.length + labelSpots.length
  let bytes = 300 + numbers * 8 + (facts ? 240 : 0)
  for (const piece of pieces) bytes += piece.length + 48
  for (const texts of missing ? [missing.uris, missing.dids, missing.cards] : []) {
    for (const text of texts) bytes += text.length + 32
  }
  return bytes
}

// What a cached view depends on besides its own row, each encoded as one number.

const SORTS = 8

export const dependency = {
  post: (id: number): number => id * SORTS,
  actor: (uid: number): number => uid * SORTS + 1,
  repost: (id: number): number => id * SORTS + 2,
  /** Blocks between the account and any other account. */
  ties: (uid: number): number => uid * SORTS + 3,
  /** The block between two accounts. A few pairs among many millions of accounts share a number. */
  block: (uid: number, otherUid: number): number => {
    const [lower, higher] = uid < otherUid ? [uid, otherUid] : [otherUid, uid]
    return ((lower % MAX_UID) * MAX_UID + (higher % MAX_UID)) * SORTS + 4
  },
  /** A version of a record that link cards show: associated_records.id. */
  associated: (id: number): number => id * SORTS + 5,
  /** Whether anything of the account but its posts has labels. */
  otherLabels: (uid: number): number => uid * SORTS + 6,
}

/** Whether the dependency is a post or an account: the subjects that labels can be about. */
export function isLabelSubject(on: number): boolean {
  return on % SORTS <= 1
}

/** Decodes the dependency of a post or an account. */
export function labelSubject(on: number): { post: number } | { account: number } {
  const id = Math.floor(on / SORTS)
  return on % SORTS === 0 ? { post: id } : { account: id }
}

const MAX_UID = 1 << 24

/** The row that keys a cached view, as a dependency. */
export function ownDependency(kind: CachedKind, id: number): number {
  switch (kind) {
    case CACHED.item:
    case CACHED.pinnedItem:
      return isRepostItem(id) ? dependency.repost(rowIdOf(id)) : dependency.post(rowIdOf(id))
    case CACHED.post:
    case CACHED.counts:
      return dependency.post(id)
    default:
      return dependency.actor(id)
  }
}
