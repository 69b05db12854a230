// app.bsky.draft.getDrafts: what the viewer has begun to write, the latest change first. The last page has
// an empty cursor, as in the reference.

import type { AppBskyDraftGetDrafts } from '@atproto/api'
import { datetime } from '../../../../../answers/views/fields.ts'
import type { Method } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'

type Params = AppBskyDraftGetDrafts.QueryParams & { limit: number }

export function getDrafts({ actors, drafts }: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.draft.getDrafts',
    kind: 'query',
    auth: 'required',
    handler: ({ viewer, params: { limit, cursor } }) => {
      const page = drafts.page({ viewer: actors.uidOf(viewer!), limit, cursor })
      const views = page.drafts.map(({ id, draft, createdAt, updatedAt }) => ({
        id,
        draft: JSON.parse(draft),
        createdAt: datetime(createdAt),
        updatedAt: datetime(updatedAt),
      }))
      return { body: { drafts: views, cursor: page.cursor ?? '' } }
    },
  }
}
