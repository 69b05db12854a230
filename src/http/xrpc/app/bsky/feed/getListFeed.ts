// app.bsky.feed.getListFeed: posts by all members of a list, newest first. Leaves out posts that the viewer
// blocks or mutes, as from a timeline, and members in a block with the list's creator. As in the reference,
// an unknown list has an empty feed. `since` and `startCursor`: see answers/skeleton/timeline.ts.

import { isRetiredCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import type { FeedSkeleton } from '../../../../../answers/skeleton/timeline.ts'
import { isBlockedOrMuted } from '../../../../../answers/views/rules.ts'
import { parseRecordUri } from '../../../../../base/atproto/at-uri.ts'
import { andThen, inTurns } from '../../../../../base/util/turn.ts'
import type { FeedHeads } from '../../../../../data/store/timelines/merged-feed.ts'
import type { Call } from '../../../call.ts'
import type { Needs } from '../../../define.ts'
import { listByUri } from '../../../lists/list-by-uri.ts'
import { type PagePart, pagedMethod } from '../../../paging/paged-method.ts'
import { isStoredList } from '../../../strangers/holdings.ts'
import { strangersList } from '../../../strangers/strangers-list.ts'

type ListFeedCall = Call<{ list: string; limit: number; cursor?: string; since?: string }>

export const getListFeed = pagedMethod(
  'app.bsky.feed.getListFeed',
  { auth: 'optional', readAfterWrite: true, ready: strangersList },
  {
    about: openList,
    skeleton,
    end: ({ params }: ListFeedCall) => params.since,
    present,
    isUnknown: (app, { heads, uri }) =>
      heads !== undefined && (isUnderWay(app, uri) || !isStoredList(app, uri)),
    body: (feed, { cursor, reads }) => ({
      feed,
      cursor,
      startCursor: reads.find(({ startCursor }) => startCursor !== undefined)?.startCursor,
    }),
  },
)

function skeleton(
  { listFeed }: Needs<'listFeed'>,
  { call, about: { heads }, range }: PagePart<ListFeedCall, { heads: FeedHeads | undefined }>,
): FeedSkeleton | Generator<void, FeedSkeleton> {
  const { since } = call.params
  return heads ? listFeed.page(heads, { ...range, since }) : { items: [], cursor: undefined }
}

function isUnderWay({ underWay }: Needs<'underWay'>, uri: string): boolean {
  const key = parseRecordUri(uri)
  return key !== undefined && underWay.areUnfetched([key])
}

function openList(
  { actors, listFeed, listPages }: Needs<'actors' | 'listFeed' | 'listPages'>,
  { params, reader }: ListFeedCall,
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
    isVisible: (rules, { author }) => !isBlockedOrMuted(rules) && !blocks.has(creator, author),
  })
}
