// Two of the three baselines: most liked, and the cosine between posts. The third is als.py.

import type { OwnLikes } from './engine-run.ts'
import type { Network } from './network.ts'

type Span = { from: number; until: number }

/** Posts by the number of likes in a span of time. */
function counted(network: Network, { from, until }: Span): Map<number, number> {
  const counts = new Map<number, number>()
  for (let i = 0; i < network.post.length; i++) {
    const minute = network.minute[i]!
    if (minute < from || minute >= until) continue
    const post = network.post[i]!
    counts.set(post, (counts.get(post) ?? 0) + 1)
  }
  return counts
}

export function mostLiked(network: Network, own: OwnLikes, span: Span): Map<number, number[]> {
  const counts = counted(network, span)
  const top = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 3000)
  const pages = new Map<number, number[]>()
  for (const [reader, likes] of own) {
    const liked = new Set(likes.map(({ post }) => post))
    const page = top.filter(([post]) => !liked.has(post)).slice(0, 50)
    pages.set(
      reader,
      page.map(([post]) => post),
    )
  }
  return pages
}

/** Rows of likes by account and by post within a span. */
function indexed(network: Network, { from, until }: Span) {
  const byLiker = new Map<number, number[]>()
  const byPost = new Map<number, number[]>()
  const add = (map: Map<number, number[]>, key: number, value: number) => {
    const list = map.get(key)
    if (list) list.push(value)
    else map.set(key, [value])
  }
  for (let i = 0; i < network.post.length; i++) {
    if (network.minute[i]! < from || network.minute[i]! >= until) continue
    add(byLiker, network.liker[i]!, network.post[i]!)
    add(byPost, network.post[i]!, network.liker[i]!)
  }
  return { byLiker, byPost }
}

/** Of accounts with more likes, the baselines that learn take none: they do better without these. */
export const MOST_LIKES = 600

/** For each candidate, the sum of its cosines to the reader's likes, over all likes of the span. */
export function itemCosine(network: Network, own: OwnLikes, span: Span): Map<number, number[]> {
  const { byLiker, byPost } = indexed(network, span)
  const pages = new Map<number, number[]>()
  for (const [reader, likes] of own) {
    const liked = new Set(likes.map(({ post }) => post))
    const scores = new Map<number, number>()
    for (const post of liked) {
      const likers = byPost.get(post) ?? []
      for (const liker of likers) {
        const theirs = byLiker.get(liker)!
        if (liker === reader || theirs.length > MOST_LIKES) continue
        for (const other of theirs) {
          const length = Math.sqrt(likers.length * byPost.get(other)!.length)
          scores.set(other, (scores.get(other) ?? 0) + 1 / length)
        }
      }
    }
    const top = [...scores].filter(([post]) => !liked.has(post)).sort((a, b) => b[1] - a[1])
    pages.set(
      reader,
      top.slice(0, 50).map(([post]) => post),
    )
  }
  return pages
}
