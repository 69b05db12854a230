// app.bsky.actor.getSuggestions: whom to follow, from the graph (skeleton/suggestions.ts). The cursor is
// the number of those that were shown.

import type { AppBskyActorGetSuggestions } from '@atproto/api'
import { BadCursorError } from '../../../../../answers/skeleton/page-cursor.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { suggestedViews } from '../../../suggested-accounts.ts'

type Params = AppBskyActorGetSuggestions.QueryParams & { limit: number }

export function getSuggestions(serving: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.actor.getSuggestions',
    kind: 'query',
    auth: 'optional',
    handler: (context) => {
      const { limit, cursor } = context.params
      const viewer = viewerOf(serving.actors, context.viewer)
      const uids = serving.suggestions.forViewer(viewer?.uid ?? 0)
      const start = parseCursor(cursor)
      const end = Math.min(start + limit, uids.length)
      const actors = suggestedViews(serving, uids.slice(start, end), {
        viewer,
        withFollowers: true,
      })
      const next = end < uids.length ? String(end) : undefined
      return { body: { actors, cursor: next }, headers: labelerHeaders(context) }
    },
  }
}

function parseCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (!/^\d{1,6}$/.test(cursor)) throw new BadCursorError('Malformed cursor')
  return Number(cursor)
}
