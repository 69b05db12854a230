// app.bsky.actor.searchActorsTypeahead: accounts whose names begin with the text typed so far. As in the
// reference, leaves out accounts in a block with the viewer, except an exact match. Never waits, since the
// user is typing.

import type { AppBskyActorSearchActorsTypeahead } from '@atproto/api'
import { andThen, inParts, inTurns } from '../../../../../base/util/turn.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { findActors } from '../../../search/actor-search.ts'

type Params = AppBskyActorSearchActorsTypeahead.QueryParams & { limit: number }

/** Extra results, since some may not be shown. */
const FOUND_MORE = 10

export const searchActorsTypeahead = query(
  'app.bsky.actor.searchActorsTypeahead',
  { auth: 'optional', waitsForNames: false },
  (app, call: Call<Params>) => {
    const { params, reader, viewer } = call
    const { q, term, limit } = params
    const request = { q: q ?? term ?? '', viewer: viewer?.uid ?? 0, cursor: undefined }
    const found = findActors(app, { ...request, limit: limit + FOUND_MORE }, call)
    return andThen(found, ({ items, exact }) => {
      const present = (some: readonly number[]) =>
        app.viewCache.profiles(some, reader, {
          basic: true,
          isVisible: (uid, { blocks }) => uid === exact || !blocks,
        })
      return andThen(inTurns(inParts(items, present)), (views) => {
        const visible = views.filter((view) => view !== undefined).slice(0, limit)
        return { body: { actors: visible } }
      })
    })
  },
)
