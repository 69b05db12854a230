// app.bsky.graph.muteActor: private state, kept here and in no repository. Of a muted account all is
// left out, or only its reposts, or only its quote posts; the latest word counts.

import type { AppBskyGraphMuteActor } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Method, Params } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'

export function muteActor({
  names,
  resolver,
  writer,
}: AppContext): Method<Params, AppBskyGraphMuteActor.InputSchema> {
  return {
    nsid: 'app.bsky.graph.muteActor',
    kind: 'procedure',
    auth: 'required',
    handler: async ({ viewer, input }) => {
      const { actor, onlyReposts = false, onlyQuoteposts = false } = input
      const subject = await names.find(actor)
      // An account that we never heard of has to exist, or anybody could fill our tables.
      const exists = subject && (subject.uid !== 0 || (await resolver.resolve(subject.did)))
      if (!exists) throw invalidRequest('Actor not found')
      if (subject.did === viewer) throw invalidRequest('Actor cannot mute themselves')
      const scope = { onlyReposts, onlyQuoteposts }
      await writer.send({ kind: 'mute', did: viewer!, subjectDid: subject.did, ...scope })
      return { body: undefined }
    },
  }
}
