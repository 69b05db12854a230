// app.bsky.feed.getAuthorFeed: one account's posts and reposts, newest first, by filter, with the pinned post
// on top of the first page if requested.

import type { AppBskyFeedGetAuthorFeed } from '@atproto/api'
import type { Reader } from '../../../../../answers/hydrate/reader.ts'
import { isBadFeedCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import type { FeedSkeleton } from '../../../../../answers/skeleton/timeline.ts'
import { pinnedPost } from '../../../../../answers/views/profiles/profile-views.ts'
import {
  type FeedItemRules,
  viewerIsBlockedBy,
  viewerIsBlocking,
} from '../../../../../answers/views/rules.ts'
import { parseRecordUri } from '../../../../../base/atproto/at-uri.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { andThen, inParts } from '../../../../../base/util/turn.ts'
import { isRepostItem, postItem, rowIdOf } from '../../../../../data/store/timelines/item-ids.ts'
import type { Call } from '../../../call.ts'
import type { Needs } from '../../../define.ts'
import type { NamedActor } from '../../../naming/actor-names.ts'
import { type PagePart, pagedMethod } from '../../../paging/paged-method.ts'
import { completeSelfThreads } from '../../../posts/self-threads.ts'
import { PAGE_MAX_WAIT_MS } from '../../../strangers/strangers-pages.ts'

type Params = AppBskyFeedGetAuthorFeed.QueryParams & {
  limit: number
  filter: string
  includePins: boolean
}
type FeedCall = Call<Params>
/** `pinned`: the feed item of the pinned post, or 0. */
type Author = { uid: number; pinned: number }

export const getAuthorFeed = pagedMethod(
  'app.bsky.feed.getAuthorFeed',
  { auth: 'optional', readAfterWrite: true, ready: fetched },
  {
    about: visibleAuthor,
    skeleton: authorFeed,
    choose: inCompleteThreads,
    present,
    // Small refills would split threads.
    halfIsEnough: true,
    isUnknown: ({ strangersPages, underWay }, { uid }) =>
      strangersPages.isFetched({ uid }) && !underWay.isPageRead(uid),
    body: 'feed',
  },
)

/**
 * Waits for the data of a stranger's page if it is fetched on demand; undefined if it is all here.
 */
function fetched(app: FetchContext, call: FeedCall): Promise<void> | undefined {
  const { params, viewer } = call
  if (!viewer || (params.cursor !== undefined && isBadFeedCursor(params.cursor))) return undefined
  const author = app.names.find(params.actor, call)
  if (author instanceof Promise) return author.then((actor) => actor && complete(app, call, actor))
  return author && app.strangersPages.isFetched(author) ? complete(app, call, author) : undefined
}

type FetchContext = Needs<
  'actors' | 'authorFeed' | 'names' | 'strangersPages' | 'viewCache' | 'completeItems'
>

/** Does not wait for accounts that are stored. */
async function complete(app: FetchContext, call: FeedCall, author: NamedActor): Promise<void> {
  const { actors, strangersPages, viewCache, completeItems } = app
  if (!strangersPages.isFetched(author)) return
  const { signal } = call
  const { limit, filter, cursor } = call.params
  const request = { viewer: call.viewer!, signal }
  const items = () => {
    const uid = actors.uidOf(author.did)
    const downTo = strangersPages.downTo(uid)
    return app.authorFeed({ author: uid, filter, limit, cursor, downTo }).items
  }
  if (cursor === undefined) await strangersPages.awaited(author, request)
  const page = { cursor, isFull: () => items().length >= limit }
  await strangersPages.olderAwaited(author, page, request)
  const make = (reader: Reader) =>
    inParts(items(), (some) => viewCache.items(some, reader, { isVisible: isAllowed }))
  const { reader, time } = call
  await completeItems.awaited(make, { reader, time, signal, maxWaitMs: PAGE_MAX_WAIT_MS })
}

type AuthorContext = Needs<'hydrator' | 'names' | 'records'>

/** @throws XRPCError if the account does not exist, or has a block with the viewer */
function visibleAuthor(app: AuthorContext, call: FeedCall) {
  const { params, reader } = call
  return andThen(app.names.find(params.actor, call), (author) => readAuthor(app, author, reader))
}

function readAuthor(
  { hydrator, records }: AuthorContext,
  author: NamedActor | undefined,
  reader: Reader,
): Author {
  const state = hydrator.profiles(author?.uid ? [author.uid] : [], reader)
  const actor = state.actors.get(author?.uid ?? 0)
  if (author && !actor) reader.missing.add({ dids: [author.did] })
  if (!actor || actor.hiddenAs) throw invalidRequest('Profile not found')
  if (viewerIsBlocking(state, actor.uid)) {
    throw invalidRequest(`Requester has blocked actor: ${actor.did}`, 'BlockedActor')
  }
  if (viewerIsBlockedBy(state, actor.uid)) {
    throw invalidRequest(`Requester is blocked by actor: ${actor.did}`, 'BlockedByActor')
  }
  const pin = parseRecordUri(pinnedPost(actor.profile)?.uri)
  const isOwn = pin?.did === actor.did && pin.collection === 'app.bsky.feed.post'
  return { uid: actor.uid, pinned: isOwn ? postItem(records.postIdOf(actor.uid, pin.rkey)) : 0 }
}

/** With the pinned post on top, if requested. */
type Read = FeedSkeleton & { pinned: number }

function authorFeed(
  app: Needs<'authorFeed' | 'strangersPages'>,
  { about, call, range }: PagePart<FeedCall, Author>,
): Read {
  const { filter, includePins } = call.params
  // Visitors trigger no further fetches: they see the stored posts.
  const downTo = call.viewer ? app.strangersPages.downTo(about.uid) : undefined
  const skeleton = app.authorFeed({ author: about.uid, filter, downTo, ...range })
  const pinned = includePins && range.cursor === undefined ? about.pinned : 0
  if (pinned === 0) return { ...skeleton, pinned }
  return {
    ...skeleton,
    items: [pinned, ...skeleton.items.filter((value) => value !== pinned)],
    pinned,
  }
}

/** With the filter for threads, only what the page holds up to the thread's root. */
function* inCompleteThreads(
  { viewCache }: Needs<'viewCache'>,
  items: readonly number[],
  { call: { params, reader }, reads }: { call: FeedCall; reads: readonly Read[] },
): Generator<void, readonly number[]> {
  if (params.filter !== 'posts_and_author_threads') return items
  const { pinned } = reads.at(-1)!
  const facts = yield* inParts(items, (some) => viewCache.facts(some, reader))
  const inThread = completeSelfThreads(items, facts)
  return items.filter(
    (item) => isRepostItem(item) || inThread.has(rowIdOf(item)) || item === pinned,
  )
}

function present(
  { viewCache }: Needs<'viewCache'>,
  items: readonly number[],
  { call: { reader }, reads }: { call: FeedCall; reads: readonly Read[] },
) {
  const { pinned } = reads.at(-1)!
  /** The pinned post is already on top, so the author's own repost of it is left out. */
  const repeatsPin = (post: number) => pinned !== 0 && post === rowIdOf(pinned)
  return viewCache.items(items, reader, {
    pinned,
    isVisible: (rules, { post, repost }) => isAllowed(rules) && !(repost !== 0 && repeatsPin(post)),
  })
}

/**
 * Leaves out a muted author's posts that another account reposted, but shows them on their own
 * page.
 */
function isAllowed(rules: FeedItemRules): boolean {
  if (rules.authorBlocked || rules.originatorBlocked) return false
  return !rules.authorMuted || rules.originatorMuted
}
