// A page of a feed that is made here (own-feeds.ts). It offers more choices than fit, and the page takes the first
// that the viewer may see.

import type { Reader } from '../../../answers/hydrate/reader.ts'
import { inTurn, inTurns } from '../../../base/util/turn.ts'
import type { MethodResult } from '../../server/method.ts'
import type { AppContext } from '../app-context.ts'
import type { Call } from '../call.ts'
import { createAnswerBudget } from '../paging/answer-budget.ts'
import { findItems, type Offered, presentEach } from './chosen-items.ts'
import { type Judge, languagesOf, type OwnFeed } from './own-feeds.ts'

type PageCall = Call<{ limit: number; cursor?: string }>

/** @returns undefined if the feed has nothing for this viewer */
export async function ownFeedPage(
  app: AppContext,
  call: PageCall,
  own: OwnFeed,
): Promise<MethodResult | undefined> {
  const { viewer, params, reader } = call
  const { limit, cursor } = params
  const languages = languagesOf(call.header('accept-language'))
  const choices = await own.choose({ viewer, limit, cursor, languages })
  if (!choices) return undefined
  const { feed, reqId } = choices
  const { items, elsewhere } = await inTurn(call, () => findItems(app, feed, call))
  const offered: Offered = { feed, items, reqId, elsewhere }
  const page = await inTurn(call, () =>
    inTurns(filled(app, { reader, offered, judge: choices.judge, limit })),
  )
  if (page.views.length === 0 && cursor === undefined) return undefined
  own.visible?.(
    viewer,
    page.shown.map((i) => feed[i]!.post),
    limit,
  )
  return { body: { feed: page.views, cursor: choices.cursorBehind(page.read) } }
}

type Filling = {
  reader: Reader
  offered: Offered
  judge: (items: readonly number[]) => Judge
  limit: number
}

/** At the end of a page, so many choices are looked at. */
const FEWEST = 10

/**
 * The first choices that suit and that the viewer may see, and how many were looked at: as many as are missing, then
 * further ones, until the page is full.
 */
function* filled(app: AppContext, { reader, offered, judge, limit }: Filling) {
  const { feed, items } = offered
  const page: { views: object[]; shown: number[]; read: number } = { views: [], shown: [], read: 0 }
  const room = createAnswerBudget(reader)
  while (page.read < feed.length && page.views.length < limit && !room.isFull) {
    const end = Math.min(feed.length, page.read + Math.max(FEWEST, limit - page.views.length))
    const { suits, takesTurn } = judge(items.slice(page.read, end).map(({ item }) => item))
    const suiting: number[] = []
    for (let i = page.read; i < end; i++) if (suits(items[i]!.item)) suiting.push(i)
    const before = room.presented
    const some = {
      ...offered,
      feed: suiting.map((i) => feed[i]!),
      items: suiting.map((i) => items[i]!),
    }
    const views = yield* presentEach(app, reader, some, { room })
    const presented = room.presented - before
    for (let n = 0; n < presented && page.views.length < limit; n++) {
      const [i, view] = [suiting[n]!, views[n]]
      page.read = i + 1
      if (!view || !takesTurn(items[i]!.item)) continue
      page.views.push(view)
      page.shown.push(i)
    }
    if (page.views.length < limit && !room.isFull) page.read = end
  }
  return page
}
