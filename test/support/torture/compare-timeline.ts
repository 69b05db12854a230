// Timelines: which items they hold, each one once and in order, and how the items are shown.

import {
  compareProfile,
  type Dependencies,
  type Post,
  type Profile,
  readAll,
  repeated,
} from './checking.ts'
import { type Bounds, type Counts, newestFirst } from './oracle.ts'
import { ownThatMayHide } from './own-items.ts'

export type Item = {
  post: Post
  reason?: { uri: string; by: Profile }
  reply?: { parent: { $type: string; uri: string }; root: { $type: string; uri: string } }
}

/** @returns the items that are shown. */
export async function compareTimeline(parts: Dependencies): Promise<Item[]> {
  const { oracle, viewer, check, pageSize } = parts
  const items = await readAll<Item>(parts, 'app.bsky.feed.getTimeline', {}, 'feed')
  const got = items.map((item) => item.reason?.uri ?? item.post.uri)
  const gotOnce = new Set(got)
  for (const uri of repeated(got)) {
    check(false, { what: 'timeline item twice', about: uri, expected: 1, got: 'more' })
  }
  const { followed, own } = oracle.timeline(viewer)
  const known = new Map([...followed, ...own].map((row) => [row.uri, row]))
  const mayHide = ownThatMayHide({ followed, own }, pageSize)
  for (const row of known.values()) {
    const isVisible = oracle.isVisible(viewer, row)
    const isPresented = gotOnce.has(row.uri)
    const isSame = isVisible === undefined || isVisible === isPresented
    const isExcused = isVisible && !isPresented && mayHide.has(row)
    const expected = isVisible ? 'shown' : 'absent'
    const visible = isPresented ? 'shown' : 'missing'
    check(isSame || isExcused === true, {
      what: `timeline item${row.post === row.uri ? '' : `, repost of ${row.post}`}`,
      about: row.uri,
      expected,
      got: visible,
    })
  }
  for (const uri of gotOnce) {
    const isKnown = known.has(uri)
    check(isKnown, { what: 'timeline item', about: uri, expected: 'absent', got: 'shown' })
  }
  for (let i = 1; i < got.length; i++) {
    const [above, below] = [known.get(got[i - 1]!), known.get(got[i]!)]
    const inOrder = !above || !below || newestFirst(above, below) <= 0
    check(inOrder, { what: 'timeline order', about: got[i]!, expected: above, got: below })
  }
  for (const item of items) comparePost(parts, item)
  return items
}

function comparePost({ oracle, viewer, check }: Dependencies, { post, reason, reply }: Item): void {
  const { uri, author } = post
  compareProfile({ oracle, viewer, check }, author)
  if (reason) compareProfile({ oracle, viewer, check }, reason.by)
  const counts: Counts = oracle.counts(uri)
  const visible: [string, Bounds, number][] = [
    ['likeCount', counts.likes, post.likeCount],
    ['repostCount', counts.reposts, post.repostCount],
    ['replyCount', counts.replies, post.replyCount],
    ['quoteCount', counts.quotes, post.quoteCount],
  ]
  for (const [what, bounds, got] of visible) {
    check(got >= bounds.least && got <= bounds.most, { what, about: uri, expected: bounds, got })
  }
  const likes = oracle.hasReacted(viewer, 'app.bsky.feed.like', uri)
  const reposts = oracle.hasReacted(viewer, 'app.bsky.feed.repost', uri)
  const state = post.viewer
  check((state?.like !== undefined) === likes, {
    what: 'viewer.like',
    about: uri,
    expected: likes,
    got: state?.like,
  })
  check((state?.repost !== undefined) === reposts, {
    what: 'viewer.repost',
    about: uri,
    expected: reposts,
    got: state?.repost,
  })
  if (!reply) return
  for (const { $type, uri: above } of [reply.parent, reply.root]) {
    const found = oracle.post(above)
    const isThere = found !== undefined && !oracle.isHidden(found.author)
    const got = !$type.endsWith('#notFoundPost')
    check(got === isThere, { what: 'ancestor', about: above, expected: isThere, got: $type })
  }
}
