// app.bsky.unspecced.getPostThreadV2: a thread as a flat list around one of its posts.

import type { AppBskyUnspeccedGetPostThreadV2 } from '@atproto/api'
import type { ThreadOrder } from '../../../../../answers/skeleton/thread.ts'
import { planThread, threadItem } from '../../../../../answers/views/thread-v2.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult } from '../../../../server/method.ts'
import { andThen } from '../../../actor-names.ts'
import type { AppContext } from '../../../app-context.ts'
import { findNamedPost, type NamedPost } from '../../../post-names.ts'
import { presentThread, readThread, threadgateOf, threadViewer } from '../../../thread.ts'

type Params = Required<AppBskyUnspeccedGetPostThreadV2.QueryParams>

const MAX_ABOVE = 50

export function getPostThreadV2(serving: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.unspecced.getPostThreadV2',
    kind: 'query',
    auth: 'optional',
    handler: (context) =>
      andThen(findNamedPost(serving, context.params.anchor), (post) =>
        answer(serving, context, post),
      ),
  }
}

function answer(
  serving: AppContext,
  context: MethodContext<Params>,
  { uri, id }: NamedPost,
): MethodResult {
  const { branchingFactor, sort, below } = context.params
  const viewer = threadViewer(serving, context.viewer)
  const above = context.params.above ? MAX_ABOVE : 0
  const range = { above, below, order: orderOf(sort), knownLikers: true }
  const thread = readThread(serving, { uri, id }, { ...range, viewer })
  const { state, skeleton, ids } = thread
  const { opThread } = skeleton
  const options = { anchor: id, anchorUri: uri, ids, opThread, above, below, branchingFactor, sort }
  const { plan, posts } = presentThread(serving, thread, {
    plan: (absent) => planThread(state, { ...options, absent }),
    postsOf: ({ items }) => items.flatMap((item) => (item.kind === 'post' ? [item.post.id] : [])),
  })
  const items = plan.items.map((item) =>
    threadItem({ state, opThread }, item, item.kind === 'post' ? posts.get(item.post.id) : {}),
  )
  return {
    body: {
      thread: items,
      threadgate: threadgateOf(thread),
      hasOtherReplies: plan.hasOtherReplies,
    },
    headers: labelerHeaders(context),
  }
}

/** As in the reference, what is none of the three counts as newest. */
function orderOf(sort: string): ThreadOrder {
  return sort === 'oldest' || sort === 'top' ? sort : 'newest'
}
