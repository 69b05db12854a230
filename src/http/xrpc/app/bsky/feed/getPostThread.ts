// app.bsky.feed.getPostThread: a thread as a tree around one of its posts. The viewer's PDS adds the viewer's
// latest posts, using the rev in the answer; also to a NotFound error.

import type { AppBskyFeedGetPostThread } from '@atproto/api'
import { threadView } from '../../../../../answers/views/threads/thread-v1.ts'
import { XRPCError } from '../../../../../base/atproto/xrpc-error.ts'
import { inTurns } from '../../../../../base/util/turn.ts'
import type { MethodResult } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { type NamedPost, namedPost } from '../../../naming/post-names.ts'
import { presentThread, readThread, threadgateOf } from '../../../posts/thread.ts'

type Params = Required<AppBskyFeedGetPostThread.QueryParams>

export const getPostThread = query(
  'app.bsky.feed.getPostThread',
  { auth: 'optional', readAfterWrite: true },
  (app, call: Call<Params>) => inTurns(answer(app, call, namedPost(app, call.params.uri))),
)

function* answer(
  app: AppContext,
  { params, reader }: Call<Params>,
  named: NamedPost,
): Generator<void, MethodResult> {
  const { depth, parentHeight } = params
  const range = { above: parentHeight, below: depth, order: 'newest' as const }
  const thread = yield* readThread(app, named, { ...range, reader })
  const { state, ids } = thread
  const options = { anchor: named.id, ids, depth, parentHeight }
  const visible = new Set<number>()
  const { plan: absent, posts } = yield* presentThread(app, thread, {
    plan(known) {
      visible.clear()
      threadView(state, {
        ...options,
        absent: known,
        present: ({ id }) => {
          visible.add(id)
          return {}
        },
      })
      return known
    },
    postsOf: () => [...visible],
  })
  const present = ({ id }: { id: number }) => posts.get(id) ?? {}
  const view = threadView(state, { ...options, absent, present })
  if (!view) throw new XRPCError(400, 'NotFound', `Post not found: ${named.uri}`)
  return { body: { thread: view, threadgate: threadgateOf(thread) } }
}
