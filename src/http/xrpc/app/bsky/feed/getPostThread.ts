// app.bsky.feed.getPostThread: a thread as a tree around one of its posts. The viewer's PDS adds what
// the viewer wrote a moment ago, by the rev that comes along; with the error, too.

import type { AppBskyFeedGetPostThread } from '@atproto/api'
import { threadView } from '../../../../../answers/views/thread-v1.ts'
import { XRPCError } from '../../../../../base/atproto/xrpc-error.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult } from '../../../../server/method.ts'
import { andThen } from '../../../actor-names.ts'
import type { AppContext } from '../../../app-context.ts'
import { findNamedPost, type NamedPost } from '../../../post-names.ts'
import { presentThread, readThread, threadgateOf, threadViewer } from '../../../thread.ts'

type Params = Required<AppBskyFeedGetPostThread.QueryParams>

export function getPostThread(serving: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.feed.getPostThread',
    kind: 'query',
    auth: 'optional',
    readAfterWrite: true,
    handler: (context) =>
      andThen(findNamedPost(serving, context.params.uri), (post) => answer(serving, context, post)),
  }
}

function answer(
  serving: AppContext,
  context: MethodContext<Params>,
  named: NamedPost,
): MethodResult {
  const { depth, parentHeight } = context.params
  const viewer = threadViewer(serving, context.viewer)
  const range = { above: parentHeight, below: depth, order: 'newest' as const }
  const thread = readThread(serving, named, { ...range, viewer })
  const { state, ids } = thread
  const options = { anchor: named.id, ids, depth, parentHeight }
  const shown = new Set<number>()
  const { plan: absent, posts } = presentThread(serving, thread, {
    plan(known) {
      shown.clear()
      threadView(state, {
        ...options,
        absent: known,
        present: ({ id }) => {
          shown.add(id)
          return {}
        },
      })
      return known
    },
    postsOf: () => [...shown],
  })
  const present = ({ id }: { id: number }) => posts.get(id) ?? {}
  const view = threadView(state, { ...options, absent, present })
  if (!view) throw new XRPCError(400, 'NotFound', `Post not found: ${named.uri}`)
  const headers = labelerHeaders(context)
  return { body: { thread: view, threadgate: threadgateOf(thread) }, headers }
}
