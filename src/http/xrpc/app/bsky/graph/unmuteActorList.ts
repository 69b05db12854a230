import type { AppBskyGraphUnmuteActorList } from '@atproto/api'
import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'

export const unmuteActorList = procedure(
  'app.bsky.graph.unmuteActorList',
  {},
  async ({ writer }, call: SignedInCall<unknown, AppBskyGraphUnmuteActorList.InputSchema>) => {
    await writer.send({ kind: 'unmute-list', did: call.viewer.did, list: call.input.list })
    return { body: undefined }
  },
)
