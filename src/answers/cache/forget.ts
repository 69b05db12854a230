// What each invalidation (data/shared-memory/invalidation-kinds.ts) evicts: exactly the entries built from
// what it names. Anything new that is cached needs its invalidations here.

import { INVALIDATION } from '../../data/shared-memory/invalidation-kinds.ts'
import type { Invalidation } from '../../data/shared-memory/invalidation-ring.ts'
import type { CachedHeads } from '../../data/store/timelines/cached-heads.ts'
import { postItem, repostItem } from '../../data/store/timelines/item-ids.ts'
import type { LikerLists } from '../hydrate/known-likers.ts'
import { CACHED, dependency } from './cached-view.ts'
import type { CachedViews } from './cached-views.ts'
import type { KnownBlocks } from './known-blocks.ts'
import type { LabelMemories } from './label-memory.ts'
import type { ViewerMemories } from './viewer-memory.ts'

type Kept = {
  kept: CachedViews
  viewers: ViewerMemories
  blocks: KnownBlocks
  heads: CachedHeads
  labels: LabelMemories
  likers: LikerLists
}

export function forgetInvalidated({ kept, viewers, blocks, heads, labels, likers }: Kept): {
  noted: Invalidation
  everything: () => void
} {
  function everything(): void {
    kept.forgetAll()
    viewers.forgetAll()
    blocks.forgetAll()
    heads.forgetAll()
    labels.forgetAll()
    likers.forgetAll()
  }

  function forgetPost(id: number): void {
    kept.forget(CACHED.post, id)
    kept.forget(CACHED.item, postItem(id))
    kept.forget(CACHED.pinnedItem, postItem(id))
    kept.forgetDependents(dependency.post(id))
  }

  function forgetActor(uid: number): void {
    kept.forget(CACHED.profile, uid)
    kept.forget(CACHED.fullProfile, uid)
    kept.forgetDependents(dependency.actor(uid))
  }

  function noted(kind: number, a: number, b: number): void {
    switch (kind) {
      case INVALIDATION.post:
        return forgetPost(a)
      case INVALIDATION.counts:
        return kept.forget(CACHED.counts, a)
      case INVALIDATION.reaction:
        likers.forget(a, b)
        return viewers.forgetPost(a, b)
      case INVALIDATION.reactions:
        likers.forgetAllOf(a)
        return viewers.forgetPosts(a)
      case INVALIDATION.actor:
        return forgetActor(a)
      case INVALIDATION.relation:
        return viewers.forgetBetween(a, b)
      case INVALIDATION.block:
        kept.forgetDependents(dependency.block(a, b))
        blocks.forget(a, b)
        return viewers.forgetBetween(a, b)
      case INVALIDATION.relations:
        kept.forgetDependents(dependency.ties(a))
        blocks.forgetAllOf(a)
        return viewers.forgetAllBetween(a)
      case INVALIDATION.repost:
        return kept.forget(CACHED.item, repostItem(a))
      case INVALIDATION.label:
        if (b === 0) kept.forgetDependents(dependency.otherLabels(a))
        return labels.forget(b === 0 ? dependency.actor(a) : dependency.post(b))
      case INVALIDATION.associated:
        return kept.forgetDependents(dependency.associated(a))
      case INVALIDATION.feed:
        return heads.forget(a)
      // No cached view contains counts of accounts, lists, backfills or rows of features.
      case INVALIDATION.actorCounts:
      case INVALIDATION.backfills:
      case INVALIDATION.ofFeature:
      case INVALIDATION.list:
        return
      default:
        everything()
    }
  }

  return { noted, everything }
}
