// app.bsky.actor.searchActorsTypeahead: accounts whose names begin with the text typed so far. As in the
// reference, leaves out accounts in a block with the viewer, except an exact match. Never waits, since the
// user is typing.

import type { AppBskyActorSearchActorsTypeahead } from '@atproto/api'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'

type Params = AppBskyActorSearchActorsTypeahead.QueryParams & { limit: number }

/** Extra results, since some may not be shown. */
const FOUND_MORE = 10

export const searchActorsTypeahead = query(
  'app.bsky.actor.searchActorsTypeahead',
  { auth: 'optional', waitsForNames: false },
  ({ searchActors, viewCache }, { params, reader, viewer }: Call<Params>) => {
    const { q, term, limit } = params
    const request = { q: q ?? term ?? '', viewer: viewer?.uid ?? 0, cursor: undefined }
    const { items, exact } = searchActors({ ...request, limit: limit + FOUND_MORE })
    const views = viewCache.profiles(items, reader, {
      basic: true,
      isShown: (uid, { blocks }) => uid === exact || !blocks,
    })
    const shown = views.filter((view) => view !== undefined).slice(0, limit)
    return { body: { actors: shown } }
  },
)
