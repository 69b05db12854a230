// app.bsky.actor.searchActorsTypeahead: accounts whose names begin with what was typed so far. Those in
// a block with the viewer are left out, but for one that was named whole, as in the reference.

import type { AppBskyActorSearchActorsTypeahead } from '@atproto/api'
import { readyArray } from '../../../../../answers/views/ready-json.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'

type Params = AppBskyActorSearchActorsTypeahead.QueryParams & { limit: number }

/** Some of what is found may not be shown. */
const FOUND_MORE = 10

export function searchActorsTypeahead(serving: AppContext): Method<Params> {
  const { actors, viewCache, searchActors } = serving
  return {
    nsid: 'app.bsky.actor.searchActorsTypeahead',
    kind: 'query',
    auth: 'optional',
    handler: (context) => {
      const { q, term, limit } = context.params
      const viewer = viewerOf(actors, context.viewer)
      const request = { q: q ?? term ?? '', viewer: viewer?.uid ?? 0, cursor: undefined }
      const { uids, exact } = searchActors({ ...request, limit: limit + FOUND_MORE })
      const views = viewCache.profiles(uids, viewer, {
        basic: true,
        isShown: (uid, { blocks }) => uid === exact || !blocks,
      })
      const shown = views.filter((view) => view !== undefined).slice(0, limit)
      return { body: { actors: readyArray(shown) }, headers: labelerHeaders(context) }
    },
  }
}
