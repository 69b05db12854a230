// The part of a post's view that embedded posts share and that, except for labelers' labels, is the same for
// every viewer. It does not include the record, which has a different field name in an embedded post.

import type { AppBskyFeedDefs } from '@atproto/api'
import { didOfUri } from '../../../base/atproto/at-uri.ts'
import type { FeedState, Post, PostCounts } from '../../hydrate/types.ts'
import { datetime } from '../fields.ts'
import { oncePerObject } from '../json/memo.ts'
import { extended, memoJson } from '../json/ready-json.ts'
import { SLOT, slot } from '../json/slots.ts'
import { withLabels, withLabelsSlot } from '../labels.ts'
import { selfLabels } from '../self-labels.ts'

type Fixed = Pick<AppBskyFeedDefs.PostView, 'uri' | 'cid' | 'indexedAt' | 'labels'>
type Counts = Pick<
  AppBskyFeedDefs.PostView,
  'replyCount' | 'repostCount' | 'likeCount' | 'quoteCount'
>
type AllCounts = Counts & Pick<AppBskyFeedDefs.PostView, 'bookmarkCount'>

export function postBase(state: FeedState, post: Post): Fixed & Counts {
  if (!state.forEveryone) return withLabels(state, withCounts(post), post.uri)
  return extended(fixedForEveryone(post), slot<Counts>(SLOT.counts, post.id))
}

/** The same for a post that is not embedded, which also has a bookmark count. */
export function postBaseWithBookmarks(state: FeedState, post: Post): Fixed & AllCounts {
  if (!state.forEveryone) return withLabels(state, withAllCounts(post), post.uri)
  return extended(fixedForEveryone(post), slot<AllCounts>(SLOT.allCounts, post.id))
}

function fixedForEveryone(post: Post): Fixed {
  return withLabelsSlot(fixedPart(post), SLOT.postLabels, post.id)
}

function postCounts({ replyCount, repostCount, likeCount, quoteCount }: PostCounts): Counts {
  return { replyCount, repostCount, likeCount, quoteCount }
}

function allPostCounts(counts: PostCounts): AllCounts {
  return { ...postCounts(counts), bookmarkCount: counts.bookmarkCount }
}

export function authorDid({ uri }: Post): string {
  return didOfUri(uri)
}

const withCounts = oncePerObject((post: Post) =>
  memoJson({ ...fixedPart(post), ...postCounts(post) }),
)

const withAllCounts = oncePerObject((post: Post) =>
  memoJson({ ...fixedPart(post), ...allPostCounts(post) }),
)

const fixedPart = oncePerObject((post: Post): Fixed => {
  const { uri, cid, record } = post
  memoJson(record)
  const labels = selfLabels(record, { did: authorDid(post), uri, cid })
  return { uri, cid, indexedAt: datetime(post.sortAt), labels }
})
