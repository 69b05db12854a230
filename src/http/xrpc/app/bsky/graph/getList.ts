// app.bsky.graph.getList: a list and who is on it, those put on it last first.
//
// As in the reference, who stands in a block with the list's creator is left out for everybody but the
// creator, unless the list is there for moderation.

import type { AppBskyGraphGetList } from '@atproto/api'
import type { Viewer } from '../../../../../answers/hydrate/types.ts'
import type { ListMember } from '../../../../../answers/skeleton/list-pages.ts'
import { isRetiredCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import { listView } from '../../../../../answers/views/list-view.ts'
import { ReadyJson } from '../../../../../answers/views/ready-json.ts'
import { recordUri } from '../../../../../base/atproto/at-uri.ts'
import { packRkey } from '../../../../../base/atproto/keys.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { fillPage } from '../../../fill-page.ts'
import { listByUri } from '../../../list-by-uri.ts'

type Params = AppBskyGraphGetList.QueryParams & { limit: number }
type Creator = { did: string; uid: number }

const MODLIST = 'app.bsky.graph.defs#modlist'

export function getList(serving: AppContext): Method<Params> {
  const { actors, hydrator, listPages, fetchRequests } = serving
  return {
    nsid: 'app.bsky.graph.getList',
    kind: 'query',
    auth: 'optional',
    handler: (context) => {
      const { list: uri, limit, cursor } = context.params
      const viewer = viewerOf(actors, context.viewer)
      const named = listByUri(serving, uri)
      const state = hydrator.lists(named?.id ? [named.id] : [], viewer)
      fetchRequests.afterProfiles(state)
      const view = named && listView(state, named.id)
      if (named && !state.lists.has(named.id)) fetchRequests.ask(viewer, { uris: [uri] })
      if (!named || !view) throw invalidRequest('List not found')
      const headers = labelerHeaders(context)
      if (isRetiredCursor(cursor)) return { body: { list: view, items: [] }, headers }
      const creator = { did: named.did, uid: actors.uidOf(named.did) }
      const isOpen = viewer?.did === creator.did || view.purpose === MODLIST
      const page = fillPage({ limit, cursor }, (from, count) => {
        const request = { list: named.id, limit: count, cursor: from }
        const { members, cursor: next } = listPages.members(request)
        const shown = isOpen ? members : withoutBlocked(serving, creator.uid, members)
        return { items: present(serving, { creator, members: shown, viewer }), cursor: next }
      })
      return { body: { list: view, items: page.items, cursor: page.cursor }, headers }
    },
  }
}

function withoutBlocked(
  { viewCache }: AppContext,
  creator: number,
  members: ListMember[],
): ListMember[] {
  const blocks = viewCache.blocksAmong(members.map(({ subject }) => [creator, subject] as const))
  return members.filter(({ subject }) => !blocks.has(creator, subject))
}

function present(
  { viewCache }: AppContext,
  { creator, members, viewer }: { creator: Creator; members: ListMember[]; viewer: Viewer },
) {
  const uids = members.map(({ subject }) => subject)
  const profiles = viewCache.profiles(uids, viewer)
  return members.flatMap(({ rkey }, i) => {
    const profile = profiles[i]
    if (profile === undefined) return []
    const uri = recordUri(creator.did, 'app.bsky.graph.listitem', packRkey(rkey))
    return [{ uri, subject: new ReadyJson([profile]) }]
  })
}
