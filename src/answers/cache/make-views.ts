// Builds cached views, with the ordinary view functions, from a state hydrated for no particular viewer.

import type { FeedState, PostCounts, ProfileState } from '../hydrate/types.ts'
import { jsonPieces } from '../views/json/json-pieces.ts'
import { NumberList } from '../views/json/number-list.ts'
import { fullText } from '../views/json/ready-json.ts'
import { SLOT } from '../views/json/slots.ts'
import { isForMembersOnly } from '../views/members-only.ts'
import { feedViewPost } from '../views/posts/feed-view-post.ts'
import { postViewForEveryone } from '../views/posts/post-view.ts'
import {
  ownLabels,
  profileView,
  profileViewBasicForEveryone,
  visibleActor,
} from '../views/profiles/profile-views.ts'
import { feedItemAccounts } from '../views/rules.ts'
import {
  ABSENT,
  CACHED,
  type CachedKind,
  type CachedView,
  dependency,
  type ItemFacts,
  isLabelSubject,
} from './cached-view.ts'
import type { CachedViews } from './cached-views.ts'
import { type Watched, watchState } from './watched-state.ts'

const NO_BOOKMARKS = ',"bookmarkCount":0'

/** The view function of each kind. Counts have no view. */
const feedViews: Partial<Record<CachedKind, (state: FeedState, id: number) => object | undefined>> =
  {
    [CACHED.item]: (state, item) => feedViewPost(state, item),
    [CACHED.pinnedItem]: (state, item) => feedViewPost(state, item, { pinned: true }),
    [CACHED.post]: postViewForEveryone,
  }
const profileViews: Partial<
  Record<CachedKind, (state: ProfileState, uid: number) => object | undefined>
> = {
  [CACHED.profile]: profileViewBasicForEveryone,
  [CACHED.fullProfile]: profileView,
}

/** Builds the cached views of these items and of the posts and accounts in their slots. */
export function makeItems(
  views: CachedViews,
  source: FeedState,
  { kind, items }: { kind: CachedKind; items: Iterable<number> },
): void {
  const watched = watchState(source)
  const slots: number[] = []
  for (const item of items) {
    const cachedView = makeOne(watched, item, feedViews[kind]!, factsOf)
    views.add(kind, item, cachedView)
    slots.push(...cachedView.slots)
  }
  makeSlots(views, watched, slots)
}

export function makePosts(views: CachedViews, source: FeedState, ids: Iterable<number>): void {
  const watched = watchState(source)
  const slots = [...ids].flatMap((id) => [SLOT.post, id])
  makeSlots(views, watched, slots)
}

export function makeProfiles(
  views: CachedViews,
  source: ProfileState,
  { kind, uids }: { kind: CachedKind; uids: Iterable<number> },
): void {
  const watched = watchState(source)
  for (const uid of uids) makeProfile(views, watched, { kind, uid })
}

/**
 * In two pieces: the counts that embedded posts show too, and those that only a post itself shows.
 */
export function makeCounts(views: CachedViews, id: number, counts: PostCounts): void {
  const { replyCount, repostCount, likeCount, quoteCount, bookmarkCount } = counts
  const shared = fullText(
    `,"replyCount":${replyCount},"repostCount":${repostCount},"likeCount":${likeCount},"quoteCount":${quoteCount}`,
  )
  const rest = bookmarkCount === 0 ? NO_BOOKMARKS : fullText(`,"bookmarkCount":${bookmarkCount}`)
  views.add(CACHED.counts, id, { ...ABSENT, showing: 'shown', pieces: [shared, rest] })
}

/** Builds the parts in the slots that are the same for everyone, unless they are cached already. */
function makeSlots(
  views: CachedViews,
  watched: Watched<FeedState>,
  slots: readonly number[],
): void {
  for (let i = 0; i < slots.length; i += 2) {
    const id = slots[i + 1]!
    if (slots[i] === SLOT.post) makePost(views, watched, id)
    else if (slots[i] === SLOT.profile)
      makeProfile(views, watched, { kind: CACHED.profile, uid: id })
    else if (slots[i] === SLOT.counts || slots[i] === SLOT.allCounts)
      makeCountsOf(views, watched, id)
  }
}

function makePost(views: CachedViews, watched: Watched<FeedState>, id: number): void {
  if (views.get(CACHED.post, id)) return
  const cachedView = makeOne(watched, id, feedViews[CACHED.post]!)
  cachedView.author = watched.state.postRefs.get(id)?.uid ?? 0
  cachedView.isRoot = watched.state.posts.get(id)?.record.reply === undefined
  views.add(CACHED.post, id, cachedView)
  makeSlots(views, watched, cachedView.slots)
}

function makeProfile(
  views: CachedViews,
  watched: Watched<ProfileState>,
  { kind, uid }: { kind: CachedKind; uid: number },
): void {
  if (views.get(kind, uid)) return
  const cachedView = makeOne(watched, uid, profileViews[kind]!)
  // The view has read this actor already, so reading it again adds no dependency.
  const actor = visibleActor(watched.state, uid)
  cachedView.forMembersOnly = actor !== undefined && isForMembersOnly({ labels: ownLabels(actor) })
  views.add(kind, uid, cachedView)
}

function makeCountsOf(views: CachedViews, { state }: Watched<FeedState>, id: number): void {
  const post = state.posts.get(id)
  if (post && !views.get(CACHED.counts, id)) makeCounts(views, id, post)
}

/**
 * The caller may modify the result.
 * @param facts - of an item: what they are read from is watched, too, since the view depends on them
 */
function makeOne<State>(
  { state, watch }: Watched<State>,
  id: number,
  view: (state: State, id: number) => object | undefined,
  facts?: (state: State, id: number) => ItemFacts,
): CachedView {
  watch.begin()
  const made = jsonPieces(() => view(state, id))
  const { refused, missing } = watch
  const subjects = made && labelSubjects(watch.dependencies, made.slots)
  const known = { missing, facts: facts?.(state, id), dependencies: watch.dependencies.copy() }
  if (refused) return { ...ABSENT, showing: 'refused', ...known }
  if (!made || !subjects) return { ...ABSENT, ...known }
  return {
    showing: 'shown',
    pieces: made.pieces,
    slots: made.slots.copy(),
    withoutBlocks: watch.withoutBlocks.copy(),
    labelSubjects: subjects,
    labelSpots: labelSpots(made.spots),
    missing,
    notFor: watch.notFor,
    before: watch.before,
    forMembersOnly: false,
    author: 0,
    isRoot: false,
    facts: known.facts,
    dependencies: known.dependencies,
    isForgotten: false,
  }
}

const collected = new NumberList()

/** @param spots - four numbers each, see `jsonPieces` */
function labelSpots(spots: NumberList): readonly number[] {
  collected.clear()
  for (let i = 0; i < spots.length; i += 4) {
    collected.add(labelSubjectOf(spots.at(i), spots.at(i + 1)))
    collected.add(spots.at(i + 2))
    collected.add(spots.at(i + 3))
  }
  return collected.copy()
}

/** Dependencies that labels can be about and that have no slot. */
function labelSubjects(dependencies: NumberList, slots: NumberList): readonly number[] {
  collected.clear()
  for (let i = 0; i < dependencies.length; i++) {
    const on = dependencies.at(i)
    if (isLabelSubject(on) && !standsInSlot(on, slots)) collected.add(on)
  }
  return collected.copy()
}

function standsInSlot(on: number, slots: NumberList): boolean {
  for (let i = 0; i < slots.length; i += 2) {
    const [kind, id] = [slots.at(i), slots.at(i + 1)]
    if (kind === SLOT.profile && on === dependency.actor(id)) return true
    if (kind === SLOT.post && on === dependency.post(id)) return true
  }
  return false
}

function labelSubjectOf(kind: number, id: number): number {
  return kind === SLOT.postLabels ? dependency.post(id) : dependency.actor(id)
}

/** Returns the facts of an item; zeros if its row is gone. */
export function factsOf(state: FeedState, item: number): ItemFacts {
  const { post = 0, repost = 0 } = state.items.get(item) ?? {}
  const visible = state.posts.get(post)
  return {
    ...feedItemAccounts(state, item),
    post,
    repost,
    parent: visible?.parent ?? 0,
    isReply: visible?.record.reply !== undefined,
    cid: (repost === 0 ? visible?.cid : state.reposts.get(repost)?.cid) ?? '',
  }
}
