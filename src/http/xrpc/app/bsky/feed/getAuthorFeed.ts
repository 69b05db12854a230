// app.bsky.feed.getAuthorFeed: one account's posts and reposts, newest first, by filter, with the
// pinned post on top of the first page where asked for.

import type { AppBskyFeedGetAuthorFeed } from '@atproto/api'
import type { Viewer } from '../../../../../answers/hydrate/types.ts'
import { isRetiredCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import { pinnedPost } from '../../../../../answers/views/profile-views.ts'
import { readyArray } from '../../../../../answers/views/ready-json.ts'
import {
  type FeedItemRules,
  viewerIsBlockedBy,
  viewerIsBlocking,
} from '../../../../../answers/views/rules.ts'
import { parseRecordUri } from '../../../../../base/atproto/at-uri.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { isRepostItem, postItem, rowIdOf } from '../../../../../data/store/item-ids.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult } from '../../../../server/method.ts'
import { andThen, type NamedActor } from '../../../actor-names.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { type FilledPage, fillPage } from '../../../fill-page.ts'
import { completeSelfThreads } from '../../../self-threads.ts'
import { PAGE_MAX_WAIT_MS } from '../../../strangers-pages.ts'

type Params = AppBskyFeedGetAuthorFeed.QueryParams & {
  limit: number
  filter: string
  includePins: boolean
}
/** Items in order; `pinned` is one of them, or 0. */
type Items = { items: readonly number[]; pinned: number }

export function getAuthorFeed(serving: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.feed.getAuthorFeed',
    kind: 'query',
    auth: 'optional',
    readAfterWrite: true,
    ready: (context) => {
      const { viewer, params } = context
      return viewer && params.cursor === undefined ? fetched(serving, context) : undefined
    },
    handler: (context) =>
      andThen(serving.names.find(context.params.actor), (author) =>
        answer(serving, context, author),
      ),
  }
}

/** What a stranger's page needs, where it is fetched when a member opens it; undefined where it is here. */
function fetched(serving: AppContext, context: MethodContext<Params>): Promise<void> | undefined {
  const { names, strangersPages } = serving
  const author = names.find(context.params.actor)
  if (author instanceof Promise) return author.then((one) => one && whole(serving, context, one))
  return author && strangersPages.isFetched(author) ? whole(serving, context, author) : undefined
}

/** Of an account that is held nothing is waited for. */
async function whole(
  serving: AppContext,
  context: MethodContext<Params>,
  author: NamedActor,
): Promise<void> {
  const { actors, authorFeed, viewCache, strangersPages, wholeItems } = serving
  if (!strangersPages.isFetched(author)) return
  const { signal, params } = context
  const viewer = viewerOf(actors, context.viewer!)
  await strangersPages.awaited(author, { viewer, signal })
  const { limit, filter } = params
  const make = () => {
    const { items } = authorFeed({
      author: actors.uidOf(author.did),
      filter,
      limit,
      cursor: undefined,
    })
    viewCache.items(items, viewer, { isShown: isAllowed })
  }
  await wholeItems.awaited(make, { viewer, signal, maxWaitMs: PAGE_MAX_WAIT_MS })
}

function answer(
  serving: AppContext,
  context: MethodContext<Params>,
  author: NamedActor | undefined,
): MethodResult {
  const viewer = viewerOf(serving.actors, context.viewer)
  const pinned = readAuthor(serving, author, viewer)
  const { params } = context
  const page = readPage(serving, { author: author!.uid, pinned, viewer, params })
  const body = { feed: readyArray(page.items), cursor: page.cursor }
  return { body, headers: labelerHeaders(context) }
}

function readPage(
  serving: AppContext,
  options: { author: number; pinned: number; viewer: Viewer; params: Params },
): FilledPage<string> {
  const { author, viewer, params } = options
  const { limit, cursor, filter } = params
  if (isRetiredCursor(cursor)) return { items: [], cursor: undefined }
  // Small refills would tear threads apart, so a page that is half full is left at that.
  return fillPage({ limit, cursor, enough: Math.ceil(limit / 2) }, (from, count) => {
    const skeleton = serving.authorFeed({ author, filter, limit: count, cursor: from })
    const isFirst = from === undefined
    const read = withPin(skeleton.items, params.includePins && isFirst ? options.pinned : 0)
    const items = present(serving, { ...read, filter, viewer })
    return { ...skeleton, items }
  })
}

/**
 * @returns the feed item of the author's pinned post, or 0.
 * @throws XRPCError where there is no such account, or a block stands between it and the viewer.
 */
function readAuthor(serving: AppContext, author: NamedActor | undefined, viewer: Viewer): number {
  const { hydrator, fetchRequests } = serving
  const state = hydrator.profiles(author?.uid ? [author.uid] : [], viewer)
  const actor = state.actors.get(author?.uid ?? 0)
  if (!author || !actor) {
    fetchRequests.ask(viewer, { dids: author ? [author.did] : [] })
    throw invalidRequest('Profile not found')
  }
  if (actor.hiddenAs) throw invalidRequest('Profile not found')
  if (viewerIsBlocking(state, actor.uid)) {
    throw invalidRequest(`Requester has blocked actor: ${actor.did}`, 'BlockedActor')
  }
  if (viewerIsBlockedBy(state, actor.uid)) {
    throw invalidRequest(`Requester is blocked by actor: ${actor.did}`, 'BlockedByActor')
  }
  const pin = parseRecordUri(pinnedPost(actor.profile)?.uri)
  if (pin?.did !== actor.did || pin.collection !== 'app.bsky.feed.post') return 0
  return postItem(serving.records.postIdOf(actor.uid, pin.rkey))
}

function withPin(items: readonly number[], pinned: number): Items {
  if (pinned === 0) return { items, pinned }
  return { items: [pinned, ...items.filter((item) => item !== pinned)], pinned }
}

function present(
  { viewCache }: AppContext,
  { items, pinned, filter, viewer }: Items & { filter: string; viewer: Viewer },
): string[] {
  const inThread =
    filter === 'posts_and_author_threads'
      ? completeSelfThreads(items, viewCache.facts(items))
      : null
  const asked = items.filter(
    (item) => !inThread || isRepostItem(item) || inThread.has(rowIdOf(item)) || item === pinned,
  )
  /** The author's own repost of the pinned post stands above already, as the post. */
  const repeatsPin = (post: number) => pinned !== 0 && post === rowIdOf(pinned)
  const texts = viewCache.items(asked, viewer, {
    pinned,
    isShown: (rules, { post, repost }) => isAllowed(rules) && !(repost !== 0 && repeatsPin(post)),
  })
  return texts.filter((text) => text !== undefined)
}

/** A muted author's posts are left out where somebody else reposted them, but not on their own page. */
function isAllowed(rules: FeedItemRules): boolean {
  if (rules.authorBlocked || rules.originatorBlocked) return false
  return !rules.authorMuted || rules.originatorMuted
}
