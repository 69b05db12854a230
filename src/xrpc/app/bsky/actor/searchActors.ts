// app.bsky.actor.searchActors: accounts by name, page by page. A whole handle that nobody here has is
// looked up in the background, so that the next search finds it.

import type { AppBskyActorSearchActors } from '@atproto/api'
import { isValidHandle } from '@atproto/syntax'
import type { Viewer } from '../../../../hydrate/types.ts'
import { isRetiredCursor } from '../../../../skeleton/page-cursor.ts'
import { readyArray } from '../../../../views/ready-json.ts'
import { labelerHeaders } from '../../../answer-headers.ts'
import { fillPage } from '../../../fill-page.ts'
import type { Method } from '../../../method.ts'
import { type Serving, viewerOf } from '../../../serving.ts'

type Params = AppBskyActorSearchActors.QueryParams & { limit: number }

export function searchActors(serving: Serving): Method<Params> {
  const { actors, fragments } = serving
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
      let isKnown = params.cursor !== undefined
      const page = fillPage({ limit: params.limit, cursor: params.cursor }, (cursor, limit) => {
        const request = { q, viewer: viewer?.uid ?? 0, limit, cursor }
        const { uids, cursor: next, exact } = serving.searchActors(request)
        isKnown ||= exact !== 0
        const views = fragments.profiles(uids, viewer, { isShown: (_, { blocks }) => !blocks })
        return { items: views.filter((view) => view !== undefined), cursor: next }
      })
      if (!isKnown) lookUp(serving, viewer, q)
      return { body: { actors: readyArray(page.items), cursor: page.cursor }, headers }
    },
  }
}

/** Only for those who are signed in: it asks other people's servers. */
function lookUp({ names, wanted }: Serving, viewer: Viewer, q: string): void {
  const handle = q.trim().replace(/^@/, '').toLowerCase()
  if (!viewer || !isValidHandle(handle)) return
  void Promise.resolve(names.find(handle)).then((found) => {
    if (found) wanted.ask(viewer, { dids: [found.did] })
  })
}
