// Compares the output of fragments with that of hydration and views for the same viewer.

import { expect } from 'vitest'
import type { ViewCache } from '../../src/answers/cache/view-cache.ts'
import type { Hydrator } from '../../src/answers/hydrate/hydrator-types.ts'
import type { Reader } from '../../src/answers/hydrate/reader.ts'
import { jsonBytes } from '../../src/answers/views/json/ready-json.ts'
import { feedViewPost } from '../../src/answers/views/posts/feed-view-post.ts'
import { postView } from '../../src/answers/views/posts/post-view.ts'
import { profileView, profileViewBasic } from '../../src/answers/views/profiles/profile-views.ts'
import { feedItemRules, isBlockedOrMuted, viewerBlocks } from '../../src/answers/views/rules.ts'
import { expectSameOnTheWire } from './hydration.ts'

export type Things = { items: number[]; posts: number[]; uids: number[] }

const ALL = { knownLikers: 'all' } as const

/** @returns all output of the fragments, as one JSON text. */
export function expectSameAsViews(
  { viewCache, hydrator }: { viewCache: ViewCache; hydrator: Hydrator },
  { items, posts, uids }: Things,
  reader: Reader,
): string {
  const feed = hydrator.feed(items, reader, { knownLikers: 'roots' })
  const timeline = items.filter((item) => !isBlockedOrMuted(feedItemRules(feed, item)))
  const pinned = items[items.length >> 2] ?? 0
  const visiblePosts = hydrator.posts(posts, reader, ALL)
  const plainPosts = hydrator.posts(posts, reader)
  const profiles = hydrator.profiles(uids, reader)
  const unblocked = posts.filter(
    (id) => !viewerBlocks(visiblePosts, visiblePosts.postRefs.get(id)?.uid ?? 0),
  )
  const isVisible = (rules: Parameters<typeof isBlockedOrMuted>[0]) => !isBlockedOrMuted(rules)
  const pairs: [(object | undefined)[], unknown[]][] = [
    [viewCache.items(items, reader), items.map((item) => feedViewPost(feed, item))],
    [
      viewCache.items(items, reader, { isVisible }),
      timeline.map((item) => feedViewPost(feed, item)),
    ],
    [viewCache.items([pinned], reader, { pinned }), [feedViewPost(feed, pinned, { pinned: true })]],
    [viewCache.posts(posts, reader, ALL), unblocked.map((id) => postView(visiblePosts, id))],
    [viewCache.posts(posts, reader), unblocked.map((id) => postView(plainPosts, id))],
    [viewCache.profiles(uids, reader), uids.map((uid) => profileView(profiles, uid))],
    [
      viewCache.profiles(uids, reader, { basic: true }),
      uids.map((uid) => profileViewBasic(profiles, uid)),
    ],
  ]
  const lines = pairs.map(([visible, views]) => {
    const texts = visible
      .filter((view) => view !== undefined)
      .map((view) => jsonBytes(view).toString())
    const ours = texts.map((text) => JSON.parse(text))
    const theirs = views.filter((view) => view !== undefined)
    for (const [i, view] of theirs.entries()) expectSameOnTheWire(ours[i], view, `item ${i}`)
    expect(ours.length).toBe(theirs.length)
    return texts.join()
  })
  return lines.join()
}
