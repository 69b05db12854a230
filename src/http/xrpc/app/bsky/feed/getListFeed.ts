// app.bsky.feed.getListFeed: posts by all members of a list, newest first. Leaves out posts that the viewer
// blocks or mutes, as from a timeline, and members in a block with the list's creator. As in the reference,
// an unknown list has an empty feed.

import { isRetiredCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import { isBlockedOrMuted } from '../../../../../answers/views/rules.ts'
import { parseRecordUri } from '../../../../../base/atproto/at-uri.ts'
import { inTurns } from '../../../../../base/util/turn.ts'
import { isStoredList } from '../../../../fallback/holdings.ts'
import type { Call } from '../../../call.ts'
import type { Needs } from '../../../define.ts'
import { listByUri } from '../../../list-by-uri.ts'
import { andThen } from '../../../maybe-later.ts'
import { pagedMethod } from '../../../paged-method.ts'
import { strangersList } from '../../../strangers-list.ts'

export const getListFeed = pagedMethod(
  'app.bsky.feed.getListFeed',
  { auth: 'optional', readAfterWrite: true, ready: strangersList },
  {
    about: openList,
    skeleton: ({ listFeed }, { about: { heads }, place }) =>
      heads ? listFeed.page(heads, place) : { items: [], cursor: undefined },
    present,
    isUnknown: (app, { heads, uri }) =>
      heads !== undefined && (isUnderWay(app, uri) || !isStoredList(app, uri)),
    body: 'feed',
  },
)

function isUnderWay({ underWay }: Needs<'underWay'>, uri: string): boolean {
  const key = parseRecordUri(uri)
  return key !== undefined && underWay.areUnfetched([key])
}

function openList(
  { actors, listFeed, listPages }: Needs<'actors' | 'listFeed' | 'listPages'>,
  { params, reader }: Call<{ list: string; cursor?: string }>,
) {
  const named = listByUri({ listPages }, params.list)
  if (named?.id === 0) reader.missing.add({ uris: [params.list] })
  const creator = named ? actors.uidOf(named.did) : 0
  const uri = params.list
  if (!named?.id || isRetiredCursor(params.cursor)) return { creator, uri, heads: undefined }
  const opened = inTurns(listFeed.open(named.id, params.cursor))
  return andThen(opened, (heads) => ({ creator, uri, heads }))
}

function present(
  { viewCache }: Needs<'viewCache'>,
  items: readonly number[],
  { about: { creator }, call: { reader } }: { about: { creator: number }; call: Call<never> },
) {
  const authors = viewCache.facts(items, reader).map(({ author }) => [creator, author] as const)
  const blocks = viewCache.blocksAmong(authors, reader)
  return viewCache.items(items, reader, {
    isShown: (rules, { author }) => !isBlockedOrMuted(rules) && !blocks.has(creator, author),
  })
}
