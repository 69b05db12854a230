// app.bsky.actor.searchActors: accounts by name, page by page. A complete handle that is not indexed is
// looked up in the background, so that the next search finds it. No account appears twice on the pages of one
// search, although the index changes meanwhile (seen-accounts.ts).

import type { AppBskyActorSearchActors } from '@atproto/api'
import { isValidHandle } from '@atproto/syntax'
import { BadCursorError, isRetiredCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import type { ReadyJson } from '../../../../../answers/views/json/ready-json.ts'
import { andThen, inParts, inTurns } from '../../../../../base/util/turn.ts'
import type { Call } from '../../../call.ts'
import { type Needs, query } from '../../../define.ts'
import { fillPageLater } from '../../../paging/fill-page-later.ts'
import { notBlocked } from '../../../paging/present.ts'
import { findActors } from '../../../search/actor-search.ts'
import { splitSeen, withSeen } from '../../../search/seen-accounts.ts'

type SearchCall = Call<AppBskyActorSearchActors.QueryParams & { limit: number }>
type Found = { view: ReadyJson; did: string }

export const searchActors = query(
  'app.bsky.actor.searchActors',
  { auth: 'optional' },
  (app, call: SearchCall) => {
    const { params, reader, viewer } = call
    const q = params.q ?? params.term ?? ''
    if (isRetiredCursor(params.cursor)) return { body: { actors: [] } }
    const from = splitSeen(params.cursor)
    if (!from) throw new BadCursorError()
    let isKnown = params.cursor !== undefined
    const read = (cursor: string | undefined, limit: number) => {
      const request = { q, viewer: viewer?.uid ?? 0, limit, cursor }
      return andThen(findActors(app, request, call), (found) => {
        isKnown ||= found.exact !== 0
        const unseen = found.items.filter((uid) => !from.seen.has(app.actors.didOf(uid)))
        const present = (some: readonly number[]) =>
          app.viewCache.profiles(some, reader, { isVisible: notBlocked })
        return andThen(inTurns(inParts(unseen, present)), (views) => {
          const items = views.map((view, i) => ({ view, did: app.actors.didOf(unseen[i]!) }))
          return { items: items.filter(isVisible), cursor: found.cursor }
        })
      })
    }
    return andThen(fillPageLater({ limit: params.limit, cursor: from.cursor }, read), (page) => {
      if (!isKnown) lookUp(app, call, q)
      const seen = from.seen.with(page.items.map(({ did }) => did))
      const views = page.items.map(({ view }) => view)
      return { body: { actors: views, cursor: withSeen(page.cursor, seen) } }
    })
  },
)

function isVisible(item: { view: ReadyJson | undefined; did: string }): item is Found {
  return item.view !== undefined
}

/** Only for signed-in callers, since it sends requests to other servers. */
function lookUp(
  { fetchRequests, names }: Needs<'fetchRequests' | 'names'>,
  { viewer, who, time }: SearchCall,
  q: string,
): void {
  const handle = q.trim().replace(/^@/, '').toLowerCase()
  if (!viewer || !isValidHandle(handle)) return
  void Promise.resolve(names.find(handle, { who, time })).then(
    (found) => found && fetchRequests.ask(viewer, { dids: [found.did] }),
    () => undefined, // the next search asks again
  )
}
