// app.bsky.unspecced.getPostThreadOtherV2: the direct replies to a post that stand aside: hidden by the
// thread's gate, muted by the viewer, or nothing but a pin.

import type { AppBskyUnspeccedGetPostThreadOtherV2 } from '@atproto/api'
import { planOthers, threadItem } from '../../../../../answers/views/thread-v2.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult } from '../../../../server/method.ts'
import { andThen } from '../../../actor-names.ts'
import type { AppContext } from '../../../app-context.ts'
import { findNamedPost, type NamedPost } from '../../../post-names.ts'
import { presentThread, readThread, threadViewer } from '../../../thread.ts'

type Params = AppBskyUnspeccedGetPostThreadOtherV2.QueryParams

export function getPostThreadOtherV2(serving: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.unspecced.getPostThreadOtherV2',
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
  named: NamedPost,
): MethodResult {
  const viewer = threadViewer(serving, context.viewer)
  const thread = readThread(serving, named, { above: 0, below: 1, order: 'newest', viewer })
  const { state, ids } = thread
  const { plan, posts } = presentThread(serving, thread, {
    plan: (absent) => planOthers(state, { anchor: named.id, ids, absent }),
    postsOf: (items) => items.map(({ post }) => post.id),
  })
  const items = plan.map((item) =>
    threadItem({ state, opThread: undefined }, item, posts.get(item.post.id)),
  )
  return { body: { thread: items }, headers: labelerHeaders(context) }
}
