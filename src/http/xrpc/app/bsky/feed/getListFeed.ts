// app.bsky.feed.getListFeed: posts of everyone on a list, newest first. Left out is what the viewer
// blocks or mutes, as from a timeline, and who stands in a block with the list's creator.

import type { AppBskyFeedGetListFeed } from '@atproto/api'
import type { Viewer } from '../../../../../answers/hydrate/types.ts'
import { isRetiredCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import { readyArray } from '../../../../../answers/views/ready-json.ts'
import { isBlockedOrMuted } from '../../../../../answers/views/rules.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { type FilledPage, fillPage } from '../../../fill-page.ts'
import { listByUri, type NamedList } from '../../../list-by-uri.ts'

type Params = AppBskyFeedGetListFeed.QueryParams & { limit: number }

/** As in the reference a list that nobody knows has an empty feed. */
export function getListFeed(serving: AppContext): Method<Params> {
  const { actors, fetchRequests } = serving
  return {
    nsid: 'app.bsky.feed.getListFeed',
    kind: 'query',
    auth: 'optional',
    readAfterWrite: true,
    handler: (context) => {
      const { list: uri } = context.params
      const viewer = viewerOf(actors, context.viewer)
      const list = listByUri(serving, uri)
      if (list?.id === 0) fetchRequests.ask(viewer, { uris: [uri] })
      const page = list?.id ? readFeed(serving, { list, viewer, params: context.params }) : NOTHING
      const body = { feed: readyArray(page.items), cursor: page.cursor }
      return { body, headers: labelerHeaders(context) }
    },
  }
}

const NOTHING: FilledPage<string> = { items: [], cursor: undefined }

function readFeed(
  { actors, viewCache, listFeed }: AppContext,
  { list, viewer, params }: { list: NamedList; viewer: Viewer; params: Params },
): FilledPage<string> {
  const { limit, cursor } = params
  if (isRetiredCursor(cursor)) return NOTHING
  const creator = actors.uidOf(list.did)
  return fillPage({ limit, cursor }, (from, count) => {
    const skeleton = listFeed({ list: list.id, limit: count, cursor: from })
    const authors = viewCache.facts(skeleton.items).map(({ author }) => [creator, author] as const)
    const blocks = viewCache.blocksAmong(authors)
    const texts = viewCache.items(skeleton.items, viewer, {
      isShown: (rules, { author }) => !isBlockedOrMuted(rules) && !blocks.has(creator, author),
    })
    return { ...skeleton, items: texts.filter((text) => text !== undefined) }
  })
}
