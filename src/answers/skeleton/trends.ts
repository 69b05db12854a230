// Current trends: the hashtags used by the most accounts in the newest posts in our index, of the last day.
// Counted in slices between requests, and cached for a while. Requests before the first count has finished
// get an empty list.

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/util/durations.ts'
import type { Db } from '../../data/store/db.ts'
import {
  type NewestPost,
  newestPostId,
  postsDownFrom,
} from '../../data/store/read/posts/newest-posts.ts'

type Trend = {
  /** In its most frequent spelling, without `#`. */
  tag: string
  posts: number
  /** Time of the first post counted; milliseconds. */
  startedAt: number
  /** Whether most of its posts are from the last hours. */
  isHot: boolean
  /** uids of the latest accounts that used it. */
  authors: number[]
}

type Trends = {
  /** Ordered by number of accounts, most first. */
  now(): readonly Trend[]
}

type Use = { posts: number; hot: number; startedAt: number; authors: Set<number>; names: Names }
type Names = Map<string, number>

const MAX_POSTS = 5_000
const SLICE = 200
const HOT_MS = 3 * HOUR_MS
const CACHED_FOR_MS = 10 * MINUTE_MS
const MIN_AUTHORS = 3
const MAX_TRENDS = 25
const PRESENTED_AUTHORS = 5

export function createTrends({ db, now = Date.now }: { db: Db; now?: () => number }): Trends {
  let trends: readonly Trend[] = []
  let countedAt = -Infinity
  let isCounting = false

  async function count(): Promise<void> {
    const uses = new Map<string, Use>()
    const since = now() - DAY_MS
    const first = newestPostId(db)
    for (let id = first; id > first - MAX_POSTS && id > 0; id -= SLICE) {
      for (const post of postsDownFrom(db, id, SLICE)) {
        if (post.sortAt >= since) addUses(uses, post, now() - HOT_MS)
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    trends = rank(uses)
  }

  return {
    now() {
      if (!isCounting && now() - countedAt >= CACHED_FOR_MS) {
        isCounting = true
        countedAt = now()
        count()
          .catch(() => undefined) // the database is being closed
          .finally(() => {
            isCounting = false
          })
      }
      return trends
    },
  }
}

function addUses(uses: Map<string, Use>, post: NewestPost, hotSince: number): void {
  for (const tag of tagsOf(post.record)) {
    const key = tag.toLowerCase()
    const use = uses.get(key) ?? {
      posts: 0,
      hot: 0,
      startedAt: Infinity,
      authors: new Set<number>(),
      names: new Map<string, number>(),
    }
    uses.set(key, use)
    use.posts++
    if (post.sortAt >= hotSince) use.hot++
    use.startedAt = Math.min(use.startedAt, post.sortAt)
    use.authors.add(post.uid)
    use.names.set(tag, (use.names.get(tag) ?? 0) + 1)
  }
}

/** The post's tags, each once regardless of case. */
function tagsOf(text: string | null): Set<string> {
  const tags = new Map<string, string>()
  if (!text?.includes('#tag"')) return new Set()
  const { facets } = JSON.parse(text) as { facets?: { features?: { tag?: unknown }[] }[] }
  for (const { tag } of (facets ?? []).flatMap(({ features }) => features ?? [])) {
    if (typeof tag === 'string' && tag !== '' && !tags.has(tag.toLowerCase())) {
      tags.set(tag.toLowerCase(), tag)
    }
  }
  return new Set(tags.values())
}

function rank(uses: Map<string, Use>): Trend[] {
  return [...uses.values()]
    .filter(({ authors }) => authors.size >= MIN_AUTHORS)
    .sort((a, b) => b.authors.size - a.authors.size || b.posts - a.posts)
    .slice(0, MAX_TRENDS)
    .map(({ posts, hot, startedAt, authors, names }) => ({
      tag: [...names].sort((a, b) => b[1] - a[1])[0]![0],
      posts,
      startedAt,
      isHot: hot * 2 > posts,
      authors: [...authors].slice(0, PRESENTED_AUTHORS),
    }))
}
