// app.bsky.actor.putPreferences: private state, kept here as it came. PDSs refuse to proxy it, so only
// clients that come to us by themselves ever get here.

import type { AppBskyActorPutPreferences } from '@atproto/api'
import { stringifyLex } from '@atproto/lexicon'
import type { Method, Params } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'

export function putActorPreferences({
  writer,
}: AppContext): Method<Params, AppBskyActorPutPreferences.InputSchema> {
  return {
    nsid: 'app.bsky.actor.putPreferences',
    kind: 'procedure',
    auth: 'required',
    handler: async ({ viewer, input }) => {
      const preferences = stringifyLex(input.preferences)
      await writer.send({ kind: 'actor-preferences', did: viewer!, preferences })
      return { body: undefined }
    },
  }
}
