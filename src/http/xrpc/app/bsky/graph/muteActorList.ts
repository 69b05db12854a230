// app.bsky.graph.muteActorList: mutes everyone on a list, whoever that is at the time. Private state,
// kept here and in no repository; the list itself is fetched if it is not here.

import type { AppBskyGraphMuteActorList } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Method, Params } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import { listByUri } from '../../../list-by-uri.ts'

const MAX_LIST_MUTES = 1_000

export function muteActorList(
  serving: AppContext,
): Method<Params, AppBskyGraphMuteActorList.InputSchema> {
  const { actors, listPages, resolver, writer } = serving
  return {
    nsid: 'app.bsky.graph.muteActorList',
    kind: 'procedure',
    auth: 'required',
    handler: async ({ viewer, input }) => {
      const list = listByUri(serving, input.list)
      if (!list) throw invalidRequest('Only lists can be muted, by at-URI with a DID')
      // A list of nobody's would fill our tables.
      const exists = actors.uidOf(list.did) !== 0 || (await resolver.resolve(list.did))
      if (!exists) throw invalidRequest('List not found')
      if (listPages.muteCount(actors.uidOf(viewer!)) >= MAX_LIST_MUTES) {
        throw invalidRequest(`At most ${MAX_LIST_MUTES} lists can be muted`)
      }
      await writer.send({ kind: 'mute-list', did: viewer!, list: list.uri })
      return { body: undefined }
    },
  }
}
