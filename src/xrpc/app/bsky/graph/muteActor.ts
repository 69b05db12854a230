// app.bsky.graph.muteActor: private state, kept here and in no repository.

import type { AppBskyGraphMuteActor } from '@atproto/api'
import { invalidRequest, XRPCError } from '../../../errors.ts'
import type { Method, Params } from '../../../method.ts'
import type { Serving } from '../../../serving.ts'

export function muteActor({
  names,
  resolver,
  writer,
}: Serving): Method<Params, AppBskyGraphMuteActor.InputSchema> {
  return {
    nsid: 'app.bsky.graph.muteActor',
    kind: 'procedure',
    auth: 'required',
    handler: async ({ viewer, input }) => {
      // Muting everything instead would hide more than was asked for.
      if (input.onlyReposts || input.onlyQuoteposts) {
        const message = 'Muting only the reposts or quote posts of an account is not supported here'
        throw new XRPCError(501, 'MethodNotImplemented', message)
      }
      const subject = await names.find(input.actor)
      // An account that we never heard of has to exist, or anybody could fill our tables.
      const exists = subject && (subject.uid !== 0 || (await resolver.resolve(subject.did)))
      if (!exists) throw invalidRequest('Actor not found')
      if (subject.did === viewer) throw invalidRequest('Actor cannot mute themselves')
      await writer.send({ kind: 'mute', did: viewer!, subjectDid: subject.did })
      return { body: undefined }
    },
  }
}
