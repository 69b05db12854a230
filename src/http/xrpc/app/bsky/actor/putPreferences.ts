// app.bsky.actor.putPreferences: private state, kept here as it came. PDSs refuse to proxy it, so only
// clients that come to us by themselves ever get here.

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
