// app.bsky.feed.getTimeline: the home timeline, newest first.
//
// As in the reference, what the viewer blocks or mutes is left out here, also by the authors above a
// reply; reply rules, thread deduplication and muted words are left to the client. `algorithm` is
// ignored. `since` and `startCursor`: see answers/skeleton/timeline.ts.

import type { AppBskyFeedGetTimeline } from '@atproto/api'
import { isBadFeedCursor, isRetiredCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import { readyArray } from '../../../../../answers/views/ready-json.ts'
import { type FeedItemRules, isBlockedOrMuted } from '../../../../../answers/views/rules.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method, MethodContext } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { type FilledPage, fillPage } from '../../../fill-page.ts'
import type { PageRequest } from '../../../first-page.ts'

type Params = AppBskyFeedGetTimeline.QueryParams & { limit: number; since?: string }
type Page = FilledPage<string> & {
  startCursor?: string | undefined
  endCursor?: string | undefined
}

export function getTimeline(serving: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.feed.getTimeline',
    kind: 'query',
    auth: 'required',
    readAfterWrite: true,
    ready: (context) => {
      const { cursor } = context.params
      if (cursor !== undefined && isBadFeedCursor(cursor)) return undefined
      return serving.firstPage.isNewcomer(context.viewer!) ? whole(serving, context) : undefined
    },
    handler: (context) => {
      const viewer = viewerOf(serving.actors, context.viewer!)
      const { items, startCursor, ...page } = readTimeline(serving, viewer, context.params)
      const isOver = page.cursor === undefined && !isRetiredCursor(context.params.cursor)
      const cursor = isOver
        ? serving.firstPage.cursorAtEnd(pageRequest(context), page.endCursor)
        : page.cursor
      return {
        body: { feed: readyArray(items), cursor, startCursor },
        headers: labelerHeaders(context),
      }
    },
  }
}

/** A newcomer's page is made when what belongs on it is here, and what that needs to be shown. */
async function whole(serving: AppContext, context: MethodContext<Params>): Promise<void> {
  await serving.firstPage.ready(pageRequest(context), context)
  const viewer = viewerOf(serving.actors, context.viewer!)
  const { cursor, limit } = context.params
  const { viewCache, wholeItems } = serving
  const read = () => serving.timeline({ viewer: viewer.uid, limit, cursor, since: undefined }).items
  const make = (items: readonly number[]) => viewCache.items(items, viewer, { isShown })
  // Whoever would be shown nothing waits once more for what was waited for before.
  const isShared = wholeItems.among(read(), make).length === 0
  await wholeItems.awaited(() => make(read()), { viewer, signal: context.signal, isShared })
}

function pageRequest({ viewer, params }: MethodContext<Params>): PageRequest {
  return { did: viewer!, limit: params.limit, cursor: params.cursor }
}

/**
 * Nothing is left out of the last page: whoever was told of the end asks no further. Where that would be nothing but
 * what is being fetched, and more may come, the page is empty, and its cursor leads to the same stretch.
 */
function readTimeline(serving: AppContext, viewer: Reader, params: Params): Page {
  const { firstPage, viewCache, wholeItems } = serving
  const make = (items: readonly number[]) => viewCache.items(items, viewer, { isShown })
  if (!firstPage.isNewcomer(viewer.did)) return readPage(serving, viewer, params, make)
  const page = readPage(serving, viewer, params, (items) => make(wholeItems.among(items, make)))
  if (page.cursor !== undefined) return page
  const request = { did: viewer.did, limit: params.limit, cursor: params.cursor }
  const mayGoOn = firstPage.cursorAtEnd(request, undefined) !== undefined
  if (mayGoOn && page.items.length === 0) return { ...page, endCursor: undefined }
  return readPage(serving, viewer, params, make)
}

type Reader = { uid: number; did: string }
type Make = (items: readonly number[]) => readonly (string | undefined)[]

function readPage(
  serving: AppContext,
  viewer: Reader,
  { limit, cursor, since }: Params,
  make: Make,
): Page {
  if (isRetiredCursor(cursor)) return { items: [], cursor: undefined }
  let startCursor: string | undefined
  let endCursor: string | undefined
  const page = fillPage({ limit, cursor, end: since }, (from, count) => {
    const skeleton = serving.timeline({ viewer: viewer.uid, limit: count, cursor: from, since })
    startCursor ??= skeleton.startCursor
    endCursor = skeleton.endCursor ?? endCursor
    const texts = make(skeleton.items)
    return { ...skeleton, items: texts.filter((text) => text !== undefined) }
  })
  return { ...page, startCursor, endCursor }
}

function isShown(rules: FeedItemRules): boolean {
  return !isBlockedOrMuted(rules)
}
