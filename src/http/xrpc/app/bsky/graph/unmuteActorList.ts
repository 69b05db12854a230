// app.bsky.graph.unmuteActorList.

import type { AppBskyGraphUnmuteActorList } from '@atproto/api'
import type { Method, Params } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'

export function unmuteActorList({
  writer,
}: AppContext): Method<Params, AppBskyGraphUnmuteActorList.InputSchema> {
  return {
    nsid: 'app.bsky.graph.unmuteActorList',
    kind: 'procedure',
    auth: 'required',
    handler: async ({ viewer, input }) => {
      await writer.send({ kind: 'unmute-list', did: viewer!, list: input.list })
      return { body: undefined }
    },
  }
}
