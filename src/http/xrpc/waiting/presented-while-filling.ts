// What newcomers were shown of a timeline that was still filling. A post that arrives above a page which a client
// has read is on none of its pages, so Discover, which clients show below the end, has such posts first
// (feeds/discover-feed.ts). Each serving thread knows what it answered itself; a client recognises repetitions.

import { LruMap } from '../../../base/util/lru.ts'

type PresentedWhileFilling = {
  /**
   * What `itemsOf` returns is on a page of the viewer's; `isFilling`: more may arrive above it. Not
   * asked of pages of a timeline that was never seen filling, which are nearly all.
   */
  note(viewer: number, isFilling: boolean, itemsOf: () => readonly number[]): void
  /** Undefined for a viewer whose pages were all complete. */
  to(viewer: number): ReadonlySet<number> | undefined
}

const MAX_VIEWERS = 300
/** More than a person reads while their timeline fills; whoever reads on gets Discover as others do. */
const MAX_ITEMS = 2_000

export function createPresentedWhileFilling(): PresentedWhileFilling {
  const visible = new LruMap<number, Set<number>>(MAX_VIEWERS)

  return {
    note(viewer, isFilling, itemsOf) {
      const before = visible.get(viewer)
      if (!before && !isFilling) return
      const items = itemsOf()
      const all = before ?? new Set<number>()
      if (all.size + items.length > MAX_ITEMS) return visible.delete(viewer)
      for (const item of items) all.add(item)
      if (!before) visible.set(viewer, all)
    },
    to: (viewer) => visible.get(viewer),
  }
}
