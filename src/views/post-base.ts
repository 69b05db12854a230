// The part of a post's view that an embedded post shows too, and that is the same for every viewer.
// The record itself stands under another name in an embedded post, so it is not in here.

import type { AppBskyFeedDefs } from '@atproto/api'
import type { Post } from '../hydrate/types.ts'
import { datetime } from './fields.ts'
import { oncePerObject } from './memo.ts'
import { keepJson } from './ready-json.ts'
import { selfLabels } from './self-labels.ts'

type PostBase = Pick<
  AppBskyFeedDefs.PostView,
  'uri' | 'cid' | 'replyCount' | 'repostCount' | 'likeCount' | 'quoteCount' | 'indexedAt' | 'labels'
>

export const postBase = oncePerObject((post: Post): PostBase => {
  const { uri, cid, record } = post
  keepJson(record)
  return keepJson({
    uri,
    cid,
    replyCount: post.replyCount,
    repostCount: post.repostCount,
    likeCount: post.likeCount,
    quoteCount: post.quoteCount,
    indexedAt: datetime(post.sortAt),
    labels: selfLabels(record, { did: authorDid(post), uri, cid }),
  })
})

export function authorDid({ uri }: Post): string {
  return uri.slice('at://'.length, uri.indexOf('/', 'at://'.length))
}
