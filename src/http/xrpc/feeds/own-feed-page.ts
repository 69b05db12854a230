// A page of a feed that is made here (own-feeds.ts). It offers more choices than fit, and the page takes the first
// that the viewer may see.

import { andThen, inTurn, inTurns } from '../../../base/util/turn.ts'
import type { MethodResult } from '../../server/method.ts'
import type { AppContext } from '../app-context.ts'
import type { Call } from '../call.ts'
import { notBlockedOrMuted } from '../paging/present.ts'
import { findItems, presentEach } from './chosen-items.ts'
import { languagesOf, type OwnFeed } from './own-feeds.ts'

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
  const isFit = choices.fitting(items.map(({ item }) => item))
  const presented = { feed, items, reqId, elsewhere }
  const page = await inTurn(call, () =>
    andThen(inTurns(presentEach(app, reader, presented, notBlockedOrMuted)), (views) =>
      fill(views, (i) => isFit(i, items[i]!.item), limit),
    ),
  )
  if (page.views.length === 0 && cursor === undefined) return undefined
  own.shown?.(
    viewer,
    page.shown.map((i) => feed[i]!.post),
    limit,
  )
  return { body: { feed: page.views, cursor: choices.cursorBehind(page.read) } }
}

/** The first views that fit, and how many were looked at. */
function fill(
  views: readonly (object | undefined)[],
  isFit: (i: number) => boolean,
  limit: number,
) {
  const page: { views: object[]; shown: number[]; read: number } = { views: [], shown: [], read: 0 }
  while (page.read < views.length && page.views.length < limit) {
    const i = page.read++
    const view = views[i]
    if (!view || !isFit(i)) continue
    page.views.push(view)
    page.shown.push(i)
  }
  return page
}
