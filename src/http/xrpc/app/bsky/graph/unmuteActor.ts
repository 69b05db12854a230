// app.bsky.graph.unmuteActor.

import type { AppBskyGraphUnmuteActor } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Method, Params } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'

export function unmuteActor({
  names,
  writer,
}: AppContext): Method<Params, AppBskyGraphUnmuteActor.InputSchema> {
  return {
    nsid: 'app.bsky.graph.unmuteActor',
    kind: 'procedure',
    auth: 'required',
    handler: async ({ viewer, input }) => {
      const subject = await names.find(input.actor)
      if (!subject) throw invalidRequest('Actor not found')
      await writer.send({ kind: 'unmute', did: viewer!, subjectDid: subject.did })
      return { body: undefined }
    },
  }
}
