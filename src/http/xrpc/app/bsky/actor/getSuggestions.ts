// app.bsky.actor.getSuggestions: accounts to follow, from the graph (suggestions.ts). The cursor is the
// number of accounts already shown.

import { BadCursorError } from '../../../../../answers/skeleton/page-cursor.ts'
import { suggestedViews } from '../../../accounts/suggested-accounts.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'

export const getSuggestions = query(
  'app.bsky.actor.getSuggestions',
  { auth: 'optional' },
  (app, { params, reader, viewer }: Call<{ limit: number; cursor?: string }>) => {
    const uids = app.suggestions.forViewer(viewer?.uid ?? 0)
    const start = parseCursor(params.cursor)
    const end = Math.min(start + params.limit, uids.length)
    const page = uids.slice(start, end)
    const actors = suggestedViews(app, page, { reader, withFollowers: true })
    return { body: { actors, cursor: end < uids.length ? String(end) : undefined } }
  },
)

function parseCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (!/^\d{1,6}$/.test(cursor)) throw new BadCursorError()
  return Number(cursor)
}
