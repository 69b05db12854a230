// app.bsky.graph.muteActor: private state, kept here and in no repository. Mutes everything by an account,
// only its reposts, or only its quote posts; the latest call wins.

import type { AppBskyGraphMuteActor } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'
import { checkExists } from '../../../naming/existing.ts'

const MAX_MUTES = 20_000

export const muteActor = procedure(
  'app.bsky.graph.muteActor',
  {},
  async (app, call: SignedInCall<unknown, AppBskyGraphMuteActor.InputSchema>) => {
    const { viewer, input } = call
    const { actor, onlyReposts = false, onlyQuoteposts = false } = input
    const subject = await app.names.find(actor, call)
    if (!subject) throw invalidRequest('Actor not found')
    await checkExists(app, subject.did, { by: call, refusal: 'Actor not found' })
    if (subject.did === viewer.did) throw invalidRequest('Actor cannot mute themselves')
    if (app.muteCounts.accounts(viewer.uid) >= MAX_MUTES) {
      throw invalidRequest(`At most ${MAX_MUTES} accounts can be muted`)
    }
    const scope = { onlyReposts, onlyQuoteposts }
    await app.writer.send({ kind: 'mute', did: viewer.did, subjectDid: subject.did, ...scope })
    return { body: undefined }
  },
)
