import type { AppBskyGraphUnmuteActor } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'

export const unmuteActor = procedure(
  'app.bsky.graph.unmuteActor',
  {},
  async (
    app,
    { viewer, input, who, time }: SignedInCall<unknown, AppBskyGraphUnmuteActor.InputSchema>,
  ) => {
    const subject = await app.names.find(input.actor, { who, time })
    if (!subject) throw invalidRequest('Actor not found')
    await app.writer.send({ kind: 'unmute', did: viewer.did, subjectDid: subject.did })
    return { body: undefined }
  },
)
