// Readers of the explore view: the same parts that answers are made from.

import type { FollowGraphReader, TimelineReader } from '@slipstream/follow-graph'
import type { Hydrator } from '../../../answers/hydrate/hydrator-types.ts'
import type { ProfileState } from '../../../answers/hydrate/types.ts'
import { blobCid } from '../../../answers/views/fields.ts'
import { INVALID_HANDLE } from '../../../base/atproto/handle.ts'
import type { Draw } from '../../../data/graph/lossiness.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import { HIDDEN } from '../../../data/graph/types.ts'
import type { Db } from '../../../data/store/db.ts'

export type ExploreContext = {
  /** Read-only connection. */
  db: Db
  actors: ActorReader
  graph: FollowGraphReader
  timelines: TimelineReader
  hydrator: Hydrator
  /** Whether a lossy timeline keeps an item, by the same draw that filled the rings. */
  isDrawn: (owner: number, item: number) => boolean
  /** Returns the drawn number, by the item's id. */
  draw: Draw
  /** Number of follows above which a timeline is lossy. */
  reasonableLimit: number
}

/** The account that the operator asks about. */
export type Subject = { uid: number; did: string }

export type Person = { did: string; handle: string; name: string; avatar?: string }

const FOLLOWS_PAGE = 4_096
/** The same limit as for timelines (answers/skeleton/timeline.ts). */
const MAX_FOLLOWS = 100_000

/** Reads the names from the hydrated state; only the DID if nothing else is known. */
export function personOf({ actors }: ExploreContext, state: ProfileState, uid: number): Person {
  const actor = state.actors.get(uid)
  const did = actor?.did ?? (uid === 0 ? '' : actors.didOf(uid))
  const avatar = blobCid(actor?.profile?.record.avatar)
  return {
    did,
    handle: actor?.handle ?? INVALID_HANDLE,
    name: actor?.profile?.record.displayName ?? '',
    ...(avatar !== undefined && { avatar: state.urls.image('avatar', did, avatar) }),
  }
}

/** Followed accounts that are not hidden, which a timeline is made from. */
export function followedOf({ graph, actors }: ExploreContext, owner: number): number[] {
  const page = new Uint32Array(FOLLOWS_PAGE)
  const followed: number[] = []
  let last = 0
  for (let read = FOLLOWS_PAGE; read === FOLLOWS_PAGE && followed.length < MAX_FOLLOWS; ) {
    read = graph.follows(owner, last, page)
    for (const uid of page.subarray(0, read)) {
      last = uid
      if ((actors.flagsOf(uid) & HIDDEN) === 0 && uid !== owner) followed.push(uid)
    }
  }
  return followed
}
