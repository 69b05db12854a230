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

type Caches = {
  views: CachedViews
  viewers: ViewerMemories
  blocks: KnownBlocks
  heads: CachedHeads
  labels: LabelMemories
  likers: LikerLists
}

export function forgetInvalidated({ views, viewers, blocks, heads, labels, likers }: Caches): {
  noted: Invalidation
  everything: () => void
} {
  function everything(): void {
    views.forgetAll()
    viewers.forgetAll()
    blocks.forgetAll()
    heads.forgetAll()
    labels.forgetAll()
    likers.forgetAll()
  }

  function forgetPost(id: number): void {
    views.forget(CACHED.post, id)
    views.forget(CACHED.item, postItem(id))
    views.forget(CACHED.pinnedItem, postItem(id))
    views.forgetDependents(dependency.post(id))
  }

  function forgetActor(uid: number): void {
    views.forget(CACHED.profile, uid)
    views.forget(CACHED.fullProfile, uid)
    views.forgetDependents(dependency.actor(uid))
  }

  function noted(kind: number, a: number, b: number): void {
    switch (kind) {
      case INVALIDATION.post:
        return forgetPost(a)
      case INVALIDATION.counts:
        return views.forget(CACHED.counts, a)
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
        views.forgetDependents(dependency.block(a, b))
        blocks.forget(a, b)
        return viewers.forgetBetween(a, b)
      case INVALIDATION.relations:
        views.forgetDependents(dependency.ties(a))
        blocks.forgetAllOf(a)
        return viewers.forgetAllBetween(a)
      case INVALIDATION.repost:
        return views.forget(CACHED.item, repostItem(a))
      case INVALIDATION.label:
        if (b === 0) views.forgetDependents(dependency.otherLabels(a))
        return labels.forget(b === 0 ? dependency.actor(a) : dependency.post(b))
      case INVALIDATION.associated:
        return views.forgetDependents(dependency.associated(a))
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
