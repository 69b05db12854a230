// Loads what a page lacks, each kind of thing in a few statements, and makes cached views of it.

import type { Hydrator } from '../hydrate/hydrator-types.ts'
import { NO_LABELERS, withLabelers } from '../hydrate/labelers.ts'
import type { Viewer } from '../hydrate/types.ts'
import { CACHED, type CachedKind, dependency, labelSubject } from './cached-view.ts'
import type { CachedViews } from './cached-views.ts'
import type { LabelMemory } from './label-memory.ts'
import { loadGated, loadPosts, loadRelations, loadRelationsByList } from './load-viewer.ts'
import { makeCounts, makeItems, makePosts, makeProfiles } from './make-views.ts'
import type { Misses } from './page.ts'
import type { ViewerMemory } from './viewer-memory.ts'

export function loadMisses(
  misses: Misses,
  parts: { hydrator: Hydrator; kept: CachedViews },
  viewer: Viewer,
  { memory, labels }: { memory: ViewerMemory | undefined; labels: LabelMemory | undefined },
): void {
  let byList: number[] = []
  // Neither cached views nor what is kept of viewers is about one set of labelers.
  withLabelers(NO_LABELERS, () => {
    loadCachedViews(misses, parts)
    if (viewer && memory) byList = loadViewer(parts.hydrator, misses, viewer, memory)
  })
  if (viewer && memory && byList.length > 0) {
    loadRelationsByList({ hydrator: parts.hydrator, viewer, memory }, byList)
  }
  if (labels && misses.labels.size > 0)
    loadLabels(parts.hydrator, [...misses.labels], viewer, labels)
  misses.clear()
}

/** Asks what is said of these. @param subjects - `dependency` of posts and accounts */
export function loadLabels(
  hydrator: Hydrator,
  subjects: readonly number[],
  viewer: Viewer,
  labels: LabelMemory,
): void {
  const posts: number[] = []
  const accounts: number[] = []
  for (const subject of subjects) {
    const of = labelSubject(subject)
    if ('post' in of) posts.push(of.post)
    else accounts.push(of.account)
  }
  const labelled = hydrator.labelled({ posts, accounts }, viewer)
  for (const id of posts) labels.keep(dependency.post(id), labelled.posts.get(id))
  for (const uid of accounts) labels.keep(dependency.actor(uid), labelled.accounts.get(uid))
}

function loadCachedViews(
  misses: Misses,
  { hydrator, kept }: { hydrator: Hydrator; kept: CachedViews },
): void {
  const of = (kind: CachedKind) => [...misses.viewCache[kind]!]
  for (const kind of [CACHED.item, CACHED.pinnedItem]) {
    const items = of(kind)
    if (items.length > 0) makeItems(kept, hydrator.feed(items, undefined), { kind, items })
  }
  const posts = of(CACHED.post)
  if (posts.length > 0) makePosts(kept, hydrator.posts(posts, undefined), posts)
  for (const kind of [CACHED.profile, CACHED.fullProfile]) {
    const uids = of(kind)
    if (uids.length > 0) makeProfiles(kept, hydrator.profiles(uids, undefined), { kind, uids })
  }
  const counted = of(CACHED.counts)
  if (counted.length > 0) {
    for (const [id, counts] of hydrator.postCounts(counted)) makeCounts(kept, id, counts)
  }
}

/** @returns those to whom there is a relation by list, see loadRelations. */
function loadViewer(
  hydrator: Hydrator,
  { relations, posts, gated }: Misses,
  viewer: NonNullable<Viewer>,
  memory: ViewerMemory,
): number[] {
  const loadParts = { hydrator, viewer, memory }
  if (posts.size > 0) loadPosts(loadParts, [...posts])
  if (gated.size > 0) loadGated(loadParts, gated)
  return relations.size > 0 ? loadRelations(loadParts, [...relations]) : []
}
