// app.bsky.actor.putPreferences: private state, kept here as received. PDSs refuse to proxy it, so only
// clients that call this AppView directly use it.

import type { AppBskyActorPutPreferences } from '@atproto/api'
import { stringifyLex } from '@atproto/lexicon'
import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'

export const putActorPreferences = procedure(
  'app.bsky.actor.putPreferences',
  {},
  async ({ writer }, call: SignedInCall<unknown, AppBskyActorPutPreferences.InputSchema>) => {
    const preferences = stringifyLex(call.input.preferences)
    await writer.send({ kind: 'actor-preferences', did: call.viewer.did, preferences })
    return { body: undefined }
  },
)
