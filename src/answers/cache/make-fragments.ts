// Fragments out of a state that was hydrated for nobody in particular, by the same views as ever.

import type { FeedState, PostCounts, ProfileState } from '../hydrate/types.ts'
import { feedViewPost } from '../views/feed-view-post.ts'
import { HOLE, type Hole } from '../views/holes.ts'
import { jsonPieces, type Spot } from '../views/json-pieces.ts'
import { isForMembersOnly } from '../views/members-only.ts'
import { postCounts } from '../views/post-base.ts'
import { postViewForEveryone } from '../views/post-view.ts'
import {
  profileBase,
  profileView,
  profileViewBasicForEveryone,
  visibleActor,
} from '../views/profile-views.ts'
import { byteText } from '../views/ready-json.ts'
import { feedItemAccounts } from '../views/rules.ts'
import {
  ABSENT,
  dependency,
  FRAGMENT,
  type Fragment,
  type FragmentKind,
  type ItemFacts,
  isLabelSubject,
} from './fragment.ts'
import type { KeptFragments } from './kept-fragments.ts'
import { type Watched, watchState } from './watched-state.ts'

/** How the view of each kind is made; counts are no view of their own. */
const feedViews: Partial<
  Record<FragmentKind, (state: FeedState, id: number) => object | undefined>
> = {
  [FRAGMENT.item]: (state, item) => feedViewPost(state, item),
  [FRAGMENT.pinnedItem]: (state, item) => feedViewPost(state, item, { pinned: true }),
  [FRAGMENT.post]: postViewForEveryone,
}
const profileViews: Partial<
  Record<FragmentKind, (state: ProfileState, uid: number) => object | undefined>
> = {
  [FRAGMENT.profile]: profileViewBasicForEveryone,
  [FRAGMENT.fullProfile]: profileView,
}

/** Those of these items, and of what stands in them. */
export function makeItems(
  kept: KeptFragments,
  source: FeedState,
  { kind, items }: { kind: FragmentKind; items: Iterable<number> },
): void {
  const watched = watchState(source)
  const holes: number[] = []
  for (const item of items) {
    const { fragment, dependencies } = makeOne(watched, item, feedViews[kind]!)
    // Still being watched: the fragment depends on what they say, too.
    fragment.facts = factsOf(watched.state, item)
    kept.keep(kind, item, fragment, dependencies)
    holes.push(...fragment.holes)
  }
  makeHoles(kept, watched, holes)
}

export function makePosts(kept: KeptFragments, source: FeedState, ids: Iterable<number>): void {
  const watched = watchState(source)
  const holes = [...ids].flatMap((id) => [HOLE.post, id])
  makeHoles(kept, watched, holes)
}

export function makeProfiles(
  kept: KeptFragments,
  source: ProfileState,
  { kind, uids }: { kind: FragmentKind; uids: Iterable<number> },
): void {
  const watched = watchState(source)
  for (const uid of uids) makeProfile(kept, watched, { kind, uid })
}

/** In two pieces: what an embedded post shows too, and what only a post in its own right does. */
export function makeCounts(kept: KeptFragments, id: number, counts: PostCounts): void {
  const shared = `,${byteText(postCounts(counts)).slice(1, -1)}`
  const rest = `,"bookmarkCount":${counts.bookmarkCount}`
  kept.keep(FRAGMENT.counts, id, { ...ABSENT, showing: 'shown', pieces: [shared, rest] })
}

/** What stands in the holes and is the same for everyone too, unless it is kept already. */
function makeHoles(
  kept: KeptFragments,
  watched: Watched<FeedState>,
  holes: readonly number[],
): void {
  for (let i = 0; i < holes.length; i += 2) {
    const id = holes[i + 1]!
    if (holes[i] === HOLE.post) makePost(kept, watched, id)
    else if (holes[i] === HOLE.profile)
      makeProfile(kept, watched, { kind: FRAGMENT.profile, uid: id })
    else if (holes[i] === HOLE.counts || holes[i] === HOLE.allCounts)
      makeCountsOf(kept, watched, id)
  }
}

function makePost(kept: KeptFragments, watched: Watched<FeedState>, id: number): void {
  if (kept.get(FRAGMENT.post, id)) return
  const { fragment, dependencies } = makeOne(watched, id, feedViews[FRAGMENT.post]!)
  fragment.author = watched.state.postRefs.get(id)?.uid ?? 0
  kept.keep(FRAGMENT.post, id, fragment, dependencies)
  makeHoles(kept, watched, fragment.holes)
}

function makeProfile(
  kept: KeptFragments,
  watched: Watched<ProfileState>,
  { kind, uid }: { kind: FragmentKind; uid: number },
): void {
  if (kept.get(kind, uid)) return
  const { fragment, dependencies } = makeOne(watched, uid, profileViews[kind]!)
  // Made already, and watched: said once more, it depends on nothing else.
  const actor = visibleActor(watched.state, uid)
  fragment.forMembersOnly =
    actor !== undefined && isForMembersOnly(profileBase(watched.state, actor))
  kept.keep(kind, uid, fragment, dependencies)
}

function makeCountsOf(kept: KeptFragments, { state }: Watched<FeedState>, id: number): void {
  const post = state.posts.get(id)
  if (post && !kept.get(FRAGMENT.counts, id)) makeCounts(kept, id, post)
}

/** The fragment is whoever's who had it made. */
type Made = { fragment: Fragment; dependencies: readonly number[] }

function makeOne<State>(
  { state, watch }: Watched<State>,
  id: number,
  view: (state: State, id: number) => object | undefined,
): Made {
  watch.begin()
  const made = jsonPieces(() => view(state, id))
  const { refused, missing, dependencies } = watch
  if (refused) return { fragment: { ...ABSENT, showing: 'refused', missing }, dependencies }
  if (!made) return { fragment: { ...ABSENT, missing }, dependencies }
  const fragment: Fragment = {
    showing: 'shown',
    pieces: made.pieces,
    holes: holeNumbers(made.holes),
    withoutBlocks: watch.withoutBlocks,
    labelSubjects: labelSubjects(dependencies, made.holes),
    labelSpots: spotNumbers(made.spots),
    missing,
    notFor: watch.notFor,
    before: watch.before,
    forMembersOnly: false,
    author: 0,
    facts: undefined,
  }
  return { fragment, dependencies }
}

function holeNumbers(holes: readonly Hole[]): number[] {
  const numbers: number[] = []
  for (const { kind, id } of holes) numbers.push(kind, id)
  return numbers
}

function spotNumbers(spots: readonly Spot[]): number[] {
  const numbers: number[] = []
  for (const { hole, piece, at } of spots) numbers.push(labelSubjectOf(hole), piece, at)
  return numbers
}

/** What the view was made of, as far as labels can be about it, and no hole stands for it. */
function labelSubjects(dependencies: readonly number[], holes: readonly Hole[]): number[] {
  const standsInHole = (on: number) =>
    holes.some(
      ({ kind, id }) =>
        (kind === HOLE.profile && on === dependency.actor(id)) ||
        (kind === HOLE.post && on === dependency.post(id)),
    )
  return dependencies.filter((on) => isLabelSubject(on) && !standsInHole(on))
}

function labelSubjectOf({ kind, id }: Hole): number {
  return kind === HOLE.postLabels ? dependency.post(id) : dependency.actor(id)
}

/** Of an item that leads nowhere: zeros. */
export function factsOf(state: FeedState, item: number): ItemFacts {
  const { post = 0, repost = 0 } = state.items.get(item) ?? {}
  const shown = state.posts.get(post)
  return {
    ...feedItemAccounts(state, item),
    post,
    repost,
    parent: shown?.parent ?? 0,
    isReply: shown?.record.reply !== undefined,
    cid: (repost === 0 ? shown?.cid : state.reposts.get(repost)?.cid) ?? '',
  }
}
