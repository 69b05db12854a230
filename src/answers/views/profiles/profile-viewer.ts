// The viewer object of a profile: app.bsky.actor.defs#viewerState. As in the reference, the booleans are
// always present and other fields only if they apply, and a block hides follows.

import type { AppBskyActorDefs } from '@atproto/api'
import { NO_RELATION } from '../../hydrate/load/no-relation.ts'
import type { ProfileState, Relation } from '../../hydrate/types.ts'
import { SLOT, slot } from '../json/slots.ts'
import { listViewBasic } from '../list-view-basic.ts'

type ViewerState = AppBskyActorDefs.ViewerState

/** An account has no relation to itself. */
export function relationTo(state: ProfileState, uid: number): Relation {
  return state.relations.get(uid) ?? NO_RELATION
}

/** @returns undefined if anonymous. */
export function profileViewer(state: ProfileState, uid: number): ViewerState | undefined {
  if (state.forEveryone) return slot(SLOT.profileViewer, uid)
  if (!state.viewer) return undefined
  const relation = relationTo(state, uid)
  const { mutedByList, blockingByList, following, followedBy } = relation
  const muted = relation.muted || mutedByList !== undefined
  const block = blockBetween(state, relation)
  const blocked = block.blockedBy || block.blocking !== undefined
  return {
    muted,
    mutedOnlyReposts: !muted && relation.mutedOnlyReposts,
    mutedOnlyQuoteposts: !muted && relation.mutedOnlyQuoteposts,
    mutedByList: listViewBasic(state, mutedByList),
    ...block,
    blockingByList: listViewBasic(state, blockingByList),
    following: blocked ? undefined : following,
    followedBy: blocked ? undefined : followedBy,
  }
}

/** The viewer object of a blocked author: only about the block. */
export function blockedProfileViewer(state: ProfileState, uid: number): ViewerState | undefined {
  state.forEveryone?.refuse()
  return state.viewer && blockBetween(state, relationTo(state, uid))
}

/** A block by list is shown as the list's at-URI. */
function blockBetween(
  state: ProfileState,
  { blocking, blockedBy, blockingByList, blockedByList }: Relation,
): { blockedBy: boolean; blocking: string | undefined } {
  return {
    blockedBy: blockedBy !== undefined || blockedByList !== undefined,
    blocking: blocking ?? state.lists.get(blockingByList ?? 0)?.uri,
  }
}
