// getFollows and getFollowers are one method seen from two sides: an account, and a list of those it
// is connected with. Left out are inactive accounts, those in a block with the viewer, and those who
// follow or are followed in spite of a block between the two.

import type {
  AccountListRequest,
  AccountListSkeleton,
} from '../../answers/skeleton/follow-lists.ts'
import { isRetiredCursor } from '../../answers/skeleton/page-cursor.ts'
import { type ReadyJson, readyArray } from '../../answers/views/ready-json.ts'
import { labelerHeaders } from '../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult } from '../server/method.ts'
import { andThen, type NamedActor } from './actor-names.ts'
import { type AppContext, viewerOf } from './app-context.ts'
import { fillPage } from './fill-page.ts'
import { visibleSubject } from './visible-subject.ts'

type Params = { actor: string; limit: number; cursor?: string }

export function followList(
  serving: AppContext,
  options: {
    nsid: string
    read: (request: AccountListRequest) => AccountListSkeleton
    body: (page: { subject: ReadyJson; views: ReadyJson; cursor?: string }) => unknown
  },
): Method<Params> {
  const { nsid, read, body } = options
  const { viewCache } = serving

  function answer(context: MethodContext<Params>, found: NamedActor | undefined): MethodResult {
    const { actor, limit, cursor } = context.params
    const viewer = viewerOf(serving.actors, context.viewer)
    const { uid, view: subject } = visibleSubject(serving, { actor, found }, viewer)
    const headers = labelerHeaders(context)
    if (isRetiredCursor(cursor)) return { body: body({ subject, views: readyArray([]) }), headers }
    const page = fillPage({ limit, cursor }, (from, count) => {
      const { uids, cursor: next } = read({ actor: uid, limit: count, cursor: from })
      const blocks = viewCache.blocksAmong(uids.map((other) => [uid, other] as const))
      const views = viewCache.profiles(uids, viewer, {
        isShown: (other, relation) => !relation.blocks && !blocks.has(uid, other),
      })
      return { items: views.filter((view) => view !== undefined), cursor: next }
    })
    return {
      body: body({ subject, views: readyArray(page.items), cursor: page.cursor }),
      headers,
    }
  }

  return {
    nsid,
    kind: 'query',
    auth: 'optional',
    handler: (context) =>
      andThen(serving.names.find(context.params.actor), (found) => answer(context, found)),
  }
}
