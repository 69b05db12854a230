// app.bsky.unspecced.getPostThreadOtherV2: the direct replies to a post that are set aside: hidden by the
// thread's gate or a moderators' tag, muted by the viewer, or only a pin emoji.

import type { AppBskyUnspeccedGetPostThreadOtherV2 } from '@atproto/api'
import { planOthers, threadItem } from '../../../../../answers/views/threads/thread-v2.ts'
import { inTurns } from '../../../../../base/util/turn.ts'
import type { MethodResult } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { type NamedPost, namedPost } from '../../../naming/post-names.ts'
import { presentThread, readThread } from '../../../posts/thread.ts'

type Params = AppBskyUnspeccedGetPostThreadOtherV2.QueryParams

export const getPostThreadOtherV2 = query(
  'app.bsky.unspecced.getPostThreadOtherV2',
  { auth: 'optional' },
  (app, call: Call<Params>) => inTurns(answer(app, call, namedPost(app, call.params.anchor))),
)

function* answer(
  app: AppContext,
  { reader }: Call<Params>,
  named: NamedPost,
): Generator<void, MethodResult> {
  const thread = yield* readThread(app, named, { above: 0, below: 1, order: 'newest', reader })
  const { state, ids } = thread
  const { plan, posts } = yield* presentThread(app, thread, {
    plan: (absent) => planOthers(state, { anchor: named.id, ids, absent }),
    postsOf: (items) => items.map(({ post }) => post.id),
  })
  const items = plan.map((item) =>
    threadItem({ state, opThread: undefined }, item, posts.get(item.post.id)),
  )
  return { body: { thread: items } }
}
