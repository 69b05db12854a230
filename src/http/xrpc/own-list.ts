// getMutes and getBlocks: accounts on a list of the viewer's own. Nothing is filtered but accounts that
// can't be shown.

import type {
  AccountListRequest,
  AccountListSkeleton,
} from '../../answers/skeleton/follow-lists.ts'
import { isRetiredCursor } from '../../answers/skeleton/page-cursor.ts'
import { type ReadyJson, readyArray } from '../../answers/views/ready-json.ts'
import { labelerHeaders } from '../server/answer-headers.ts'
import type { Method } from '../server/method.ts'
import { type AppContext, viewerOf } from './app-context.ts'
import { fillPage } from './fill-page.ts'

type Page = { views: ReadyJson; cursor?: string }
type Params = { limit: number; cursor?: string }

export function ownList(
  { actors, viewCache }: AppContext,
  options: {
    nsid: string
    read: (request: AccountListRequest) => AccountListSkeleton
    body: (page: Page) => unknown
  },
): Method<Params> {
  const { nsid, read, body } = options
  return {
    nsid,
    kind: 'query',
    auth: 'required',
    handler: (context) => {
      const { limit, cursor } = context.params
      const viewer = viewerOf(actors, context.viewer!)
      const headers = labelerHeaders(context)
      if (isRetiredCursor(cursor)) return { body: body({ views: readyArray([]) }), headers }
      const page = fillPage({ limit, cursor }, (from, count) => {
        const { uids, cursor: next } = read({ actor: viewer.uid, limit: count, cursor: from })
        const views = viewCache.profiles(uids, viewer)
        return { items: views.filter((view) => view !== undefined), cursor: next }
      })
      return { body: body({ views: readyArray(page.items), cursor: page.cursor }), headers }
    },
  }
}
