// app.bsky.actor.searchActors: accounts by name, page by page. A whole handle that nobody here has is
// looked up in the background, so that the next search finds it. Nobody is shown twice on the pages of one
// search, though the index moves on meanwhile (seen-accounts.ts).

import type { AppBskyActorSearchActors } from '@atproto/api'
import { isValidHandle } from '@atproto/syntax'
import type { Viewer } from '../../../../../answers/hydrate/types.ts'
import { isRetiredCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import { readyArray } from '../../../../../answers/views/ready-json.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { fillPage } from '../../../fill-page.ts'
import { splitSeen, withSeen } from '../../../seen-accounts.ts'

type Params = AppBskyActorSearchActors.QueryParams & { limit: number }
type Found = { view: string; did: string }

export function searchActors(serving: AppContext): Method<Params> {
  const { actors, viewCache } = serving
  return {
    nsid: 'app.bsky.actor.searchActors',
    kind: 'query',
    auth: 'optional',
    handler: (context) => {
      const { params } = context
      const q = params.q ?? params.term ?? ''
      const viewer = viewerOf(actors, context.viewer)
      const headers = labelerHeaders(context)
      if (isRetiredCursor(params.cursor)) return { body: { actors: [] }, headers }
      const from = splitSeen(params.cursor)
      if (!from) throw invalidRequest('Malformed cursor')
      let isKnown = params.cursor !== undefined
      const page = fillPage({ limit: params.limit, cursor: from.cursor }, (cursor, limit) => {
        const request = { q, viewer: viewer?.uid ?? 0, limit, cursor }
        const { uids, cursor: next, exact } = serving.searchActors(request)
        isKnown ||= exact !== 0
        const unseen = uids.filter((uid) => !from.seen.has(actors.didOf(uid)))
        const views = viewCache.profiles(unseen, viewer, { isShown: (_, { blocks }) => !blocks })
        const items = views.map((view, i) => ({ view, did: actors.didOf(unseen[i]!) }))
        return { items: items.filter(isShown), cursor: next }
      })
      if (!isKnown) lookUp(serving, viewer, q)
      const seen = from.seen.with(page.items.map(({ did }) => did))
      const views = page.items.map(({ view }) => view)
      const body = { actors: readyArray(views), cursor: withSeen(page.cursor, seen) }
      return { body, headers }
    },
  }
}

function isShown(item: { view: string | undefined; did: string }): item is Found {
  return item.view !== undefined
}

/** Only for those who are signed in: it asks other people's servers. */
function lookUp({ names, fetchRequests }: AppContext, viewer: Viewer, q: string): void {
  const handle = q.trim().replace(/^@/, '').toLowerCase()
  if (!viewer || !isValidHandle(handle)) return
  void Promise.resolve(names.find(handle)).then((found) => {
    if (found) fetchRequests.ask(viewer, { dids: [found.did] })
  })
}
