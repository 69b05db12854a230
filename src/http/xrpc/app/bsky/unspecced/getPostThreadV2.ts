// app.bsky.unspecced.getPostThreadV2: a thread as a flat list around one of its posts.

import type { AppBskyUnspeccedGetPostThreadV2 } from '@atproto/api'
import type { ThreadOrder } from '../../../../../answers/skeleton/thread.ts'
import { planThread, threadItem } from '../../../../../answers/views/threads/thread-v2.ts'
import { inTurns } from '../../../../../base/util/turn.ts'
import type { MethodResult } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { type NamedPost, namedPost } from '../../../naming/post-names.ts'
import { presentThread, readThread, threadgateOf } from '../../../posts/thread.ts'

type Params = Required<AppBskyUnspeccedGetPostThreadV2.QueryParams>

const MAX_ABOVE = 50

export const getPostThreadV2 = query(
  'app.bsky.unspecced.getPostThreadV2',
  { auth: 'optional' },
  (app, call: Call<Params>) => inTurns(answer(app, call, namedPost(app, call.params.anchor))),
)

function* answer(
  app: AppContext,
  { params, reader }: Call<Params>,
  { uri, id }: NamedPost,
): Generator<void, MethodResult> {
  const { branchingFactor, sort, below } = params
  const above = params.above ? MAX_ABOVE : 0
  const range = { above, below, order: orderOf(sort) }
  const thread = yield* readThread(app, { uri, id }, { ...range, reader })
  const { state, skeleton, ids } = thread
  const { opThread } = skeleton
  const options = { anchor: id, anchorUri: uri, ids, opThread, above, below, branchingFactor, sort }
  const { plan, posts } = yield* presentThread(app, thread, {
    plan: (absent) => planThread(state, { ...options, absent }),
    showsLikers: true,
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
  }
}

/** As in the reference, any other value counts as newest. */
function orderOf(sort: string): ThreadOrder {
  return sort === 'oldest' || sort === 'top' ? sort : 'newest'
}
