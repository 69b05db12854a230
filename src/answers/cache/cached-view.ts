// A cached view: the JSON of a view that was made once for every viewer, cut at its slots
// (answers/views/slots.ts), with what is to be known about it before it is shown to somebody.

import { isRepostItem, rowIdOf } from '../../data/store/item-ids.ts'
import type { FeedItemAccounts } from '../views/rules.ts'

/** What cached views there are; each kind is keyed by the integer named. */
export const CACHED = {
  /** feedViewPost of a feed item. */
  item: 0,
  /** The same as the post that its author pinned. */
  pinnedItem: 1,
  /** postView of posts.id. */
  post: 2,
  /** profileViewBasic of a uid. */
  profile: 3,
  /** profileView of a uid. */
  fullProfile: 4,
  /** The counts of posts.id. */
  counts: 5,
} as const

export type CachedKind = (typeof CACHED)[keyof typeof CACHED]
export const KINDS = Object.values(CACHED)

/** `refused`: can't be made once for everybody; each viewer's is made anew. */
type Showing = 'shown' | 'absent' | 'refused'

/** What an answer had to leave out because it is not here: see http/xrpc/fetch-requests.ts. */
export type Missing = { uris: readonly string[]; dids: readonly string[] }

export type ItemFacts = FeedItemAccounts & {
  /** posts.id of what is shown, of its parent (0: none), and whether it is a reply at all. */
  post: number
  /** reposts.id, where the item is a repost; 0 where not. */
  repost: number
  parent: number
  isReply: boolean
  /** The item's own: of the repost where it is one. Empty where its row is gone. */
  cid: string
}

export type CachedView = {
  showing: Showing
  /** Byte text around the slots, without the brace at the end: one more than there are slots. */
  pieces: readonly string[]
  /** Kind and id of each slot in turn. */
  slots: readonly number[]
  /** Only for viewers in no block with these accounts. */
  withoutBlocks: readonly number[]
  /**
   * Posts and accounts, as their `dependency`, that labelers may say something about. What stands in
   * slots says so itself.
   */
  labelSubjects: readonly number[]
  /** Where it shows labels: each a subject, the piece, and the place in it. In order. */
  labelSpots: readonly number[]
  missing: Missing | undefined
  /** Not for the account itself; 0 where for everyone. */
  notFor: number
  /** Then it is to be made anew; milliseconds since 1970. */
  before: number
  /** Of profiles: nothing that they stand in is written for visitors, but presented for them. */
  forMembersOnly: boolean
  /** The post's author; 0 for other kinds. */
  author: number
  /** Of feed items only. */
  facts: ItemFacts | undefined
}

export const ABSENT: CachedView = {
  showing: 'absent',
  pieces: [],
  slots: [],
  withoutBlocks: [],
  labelSubjects: [],
  labelSpots: [],
  missing: undefined,
  notFor: 0,
  before: Infinity,
  forMembersOnly: false,
  author: 0,
  facts: undefined,
}

/** About what it takes in memory, with its place in a map: measured on the heap. */
export function cachedViewBytes(cachedView: CachedView): number {
  const { pieces, slots, withoutBlocks, labelSubjects, labelSpots, missing, facts } = cachedView
  const numbers = slots.length + withoutBlocks.length + labelSubjects.length + labelSpots.length
  let bytes = 680 + numbers * 8 + (facts ? 240 : 0)
  for (const piece of pieces) bytes += piece.length + 48
  for (const texts of missing ? [missing.uris, missing.dids] : []) {
    for (const text of texts) bytes += text.length + 32
  }
  return bytes
}

// What a cached view depends on besides the row that it is keyed by, as one number.

const SORTS = 8

export const dependency = {
  post: (id: number): number => id * SORTS,
  actor: (uid: number): number => uid * SORTS + 1,
  repost: (id: number): number => id * SORTS + 2,
  /** Whether there is a block between the account and any other. */
  ties: (uid: number): number => uid * SORTS + 3,
  /** Whether there is one between these two. Among many millions of accounts some pairs coincide. */
  block: (uid: number, otherUid: number): number => {
    const [lower, higher] = uid < otherUid ? [uid, otherUid] : [otherUid, uid]
    return ((lower % MAX_UID) * MAX_UID + (higher % MAX_UID)) * SORTS + 4
  },
}

/** Whether it stands for a post or an account: what labels can be about. */
export function isLabelSubject(on: number): boolean {
  return on % SORTS <= 1
}

/** The other way round. */
export function labelSubject(on: number): { post: number } | { account: number } {
  const id = Math.floor(on / SORTS)
  return on % SORTS === 0 ? { post: id } : { account: id }
}

const MAX_UID = 1 << 24

/** The row that a cached view is keyed by. */
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
