// app.bsky.actor.searchActorsTypeahead: accounts whose names begin with what was typed so far. Those in
// a block with the viewer are left out, but for one that was named whole, as in the reference. Whoever
// types does not wait.

import type { AppBskyActorSearchActorsTypeahead } from '@atproto/api'
import { readyArray } from '../../../../../answers/views/ready-json.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'

type Params = AppBskyActorSearchActorsTypeahead.QueryParams & { limit: number }

/** Some of what is found may not be shown. */
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
    return { body: { actors: readyArray(shown) } }
  },
)
