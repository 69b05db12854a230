// A brute-force model of a timeline: the order, and the pages as the reference's data plane cuts them. Shares
// no code with the code under test.

/** A post or repost: `key` is its at-URI, for a repost that of the repost. */
export type ModelItem = { key: string; originator: string; sortAt: number; cid: string }

export function newestFirst(a: ModelItem, b: ModelItem): number {
  if (a.sortAt !== b.sortAt) return b.sortAt - a.sortAt
  if (a.cid === b.cid) return 0
  return a.cid < b.cid ? 1 : -1
}

/**
 * Returns pages of items of followed accounts and of the viewer, each page with the reference's
 * share of own items.
 */
export function modelPages(options: {
  followed: ModelItem[]
  own: ModelItem[]
  limit: number
}): string[][] {
  const { limit } = options
  let followed = [...options.followed].sort(newestFirst)
  let own = [...options.own].sort(newestFirst)
  const pages: string[][] = []
  for (;;) {
    const some = followed.slice(0, limit + 1)
    const ownLimit = Math.max(Math.min(limit, 10), limit - Math.min(some.length, limit))
    const mixed = [...some, ...own.slice(0, ownLimit)].sort(newestFirst)
    const page = mixed.slice(0, limit)
    const last = page.at(-1)
    if (!last) return pages
    pages.push(page.map(({ key }) => key))
    if (mixed.length <= limit && own.length <= ownLimit) return pages
    const isBelow = (item: ModelItem) => newestFirst(last, item) < 0
    followed = followed.filter(isBelow)
    own = own.filter(isBelow)
  }
}
