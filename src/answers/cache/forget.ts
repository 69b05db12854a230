// What each note (data/shared-memory/note-kinds.ts) makes us forget: exactly what was made of what it names.
// Adding something that is kept means adding here what changes it.

import { NOTE } from '../../data/shared-memory/note-kinds.ts'
import type { Note } from '../../data/shared-memory/note-ring.ts'
import { postItem, repostItem } from '../../data/store/item-ids.ts'
import type { KeptHeads } from '../../data/store/kept-heads.ts'
import { dependency, FRAGMENT } from './fragment.ts'
import type { KeptFragments } from './kept-fragments.ts'
import type { KnownBlocks } from './known-blocks.ts'
import type { LabelMemories } from './label-memory.ts'
import type { ViewerMemories } from './viewer-memory.ts'

type Kept = {
  kept: KeptFragments
  viewers: ViewerMemories
  blocks: KnownBlocks
  heads: KeptHeads
  labels: LabelMemories
}

export function forgetNoted({ kept, viewers, blocks, heads, labels }: Kept): {
  noted: Note
  everything: () => void
} {
  function everything(): void {
    kept.forgetAll()
    viewers.forgetAll()
    blocks.forgetAll()
    heads.forgetAll()
    labels.forgetAll()
  }

  function forgetPost(id: number): void {
    kept.forget(FRAGMENT.post, id)
    kept.forget(FRAGMENT.item, postItem(id))
    kept.forget(FRAGMENT.pinnedItem, postItem(id))
    kept.forgetDependents(dependency.post(id))
  }

  function forgetActor(uid: number): void {
    kept.forget(FRAGMENT.profile, uid)
    kept.forget(FRAGMENT.fullProfile, uid)
    kept.forgetDependents(dependency.actor(uid))
  }

  function noted(kind: number, a: number, b: number): void {
    switch (kind) {
      case NOTE.post:
        return forgetPost(a)
      case NOTE.counts:
        return kept.forget(FRAGMENT.counts, a)
      case NOTE.opinion:
        return viewers.forgetPost(a, b)
      case NOTE.opinions:
        return viewers.forgetPosts(a)
      case NOTE.actor:
        return forgetActor(a)
      case NOTE.tie:
        return viewers.forgetBetween(a, b)
      case NOTE.block:
        kept.forgetDependents(dependency.block(a, b))
        blocks.forget(a, b)
        return viewers.forgetBetween(a, b)
      case NOTE.ties:
        kept.forgetDependents(dependency.ties(a))
        blocks.forgetAllOf(a)
        return viewers.forgetAllBetween(a)
      case NOTE.repost:
        return kept.forget(FRAGMENT.item, repostItem(a))
      case NOTE.label:
        return labels.forget(b === 0 ? dependency.actor(a) : dependency.post(b))
      case NOTE.feed:
        return heads.forget(a)
      // Counts of accounts, and lists, stand in no fragment.
      case NOTE.actorCounts:
      case NOTE.list:
        return
      default:
        everything()
    }
  }

  return { noted, everything }
}
