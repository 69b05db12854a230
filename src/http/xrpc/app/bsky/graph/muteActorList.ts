// app.bsky.graph.muteActorList: mutes the current members of a list at any time. Private state, kept here and
// in no repository; the list itself is fetched if it is not indexed.

import type { AppBskyGraphMuteActorList } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'
import { listByUri } from '../../../lists/list-by-uri.ts'
import { checkExists } from '../../../naming/existing.ts'

const MAX_LIST_MUTES = 1_000

export const muteActorList = procedure(
  'app.bsky.graph.muteActorList',
  {},
  async (app, call: SignedInCall<unknown, AppBskyGraphMuteActorList.InputSchema>) => {
    const { viewer, input } = call
    const list = listByUri(app, input.list)
    if (!list) throw invalidRequest('Only lists can be muted')
    await checkExists(app, list.did, { by: call, refusal: 'List not found' })
    if (app.listPages.muteCount(viewer.uid) >= MAX_LIST_MUTES) {
      throw invalidRequest(`At most ${MAX_LIST_MUTES} lists can be muted`)
    }
    await app.writer.send({ kind: 'mute-list', did: viewer.did, list: list.uri })
    return { body: undefined }
  },
)
