// The part of a post's view that an embedded post shows too, and that is the same for every
// viewer but for the author's viewer object.

import type { AppBskyFeedDefs } from '@atproto/api'
import type { FeedState, Post } from '../hydrate/types.ts'
import { datetime } from './fields.ts'
import { profileViewBasic } from './profile-views.ts'
import { selfLabels } from './self-labels.ts'

type PostBase = Pick<
  AppBskyFeedDefs.PostView,
  | 'uri'
  | 'cid'
  | 'author'
  | 'record'
  | 'replyCount'
  | 'repostCount'
  | 'likeCount'
  | 'quoteCount'
  | 'indexedAt'
  | 'labels'
>

/** @returns undefined where the author is unknown or hidden. */
export function postBase(state: FeedState, post: Post): PostBase | undefined {
  const author = profileViewBasic(state, post.uid)
  if (!author) return undefined
  const { uri, cid, record } = post
  return {
    uri,
    cid,
    author,
    record,
    replyCount: post.replyCount,
    repostCount: post.repostCount,
    likeCount: post.likeCount,
    quoteCount: post.quoteCount,
    indexedAt: datetime(post.sortAt),
    labels: selfLabels(record, { did: author.did, uri, cid }),
  }
}
