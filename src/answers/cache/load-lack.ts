// Loads what a page lacks, each kind of thing in a few statements, and makes fragments of it.

import type { Hydrator } from '../hydrate/hydrator-types.ts'
import { NO_LABELERS, withLabelers } from '../hydrate/labelers.ts'
import type { Viewer } from '../hydrate/types.ts'
import { dependency, FRAGMENT, type FragmentKind, labelSubject } from './fragment.ts'
import type { KeptFragments } from './kept-fragments.ts'
import type { LabelMemory } from './label-memory.ts'
import { loadGated, loadPosts, loadRelations, loadRelationsByList } from './load-viewer.ts'
import { makeCounts, makeItems, makePosts, makeProfiles } from './make-fragments.ts'
import type { Lack } from './page.ts'
import type { ViewerMemory } from './viewer-memory.ts'

export function loadLack(
  lack: Lack,
  parts: { hydrator: Hydrator; kept: KeptFragments },
  viewer: Viewer,
  { memory, labels }: { memory: ViewerMemory | undefined; labels: LabelMemory | undefined },
): void {
  let byList: number[] = []
  // Neither fragments nor what is kept of viewers is about one set of labelers.
  withLabelers(NO_LABELERS, () => {
    loadFragments(lack, parts)
    if (viewer && memory) byList = loadViewer(parts.hydrator, lack, viewer, memory)
  })
  if (viewer && memory && byList.length > 0) {
    loadRelationsByList({ hydrator: parts.hydrator, viewer, memory }, byList)
  }
  if (labels && lack.labels.size > 0) loadLabels(parts.hydrator, [...lack.labels], viewer, labels)
  lack.clear()
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

function loadFragments(
  lack: Lack,
  { hydrator, kept }: { hydrator: Hydrator; kept: KeptFragments },
): void {
  const of = (kind: FragmentKind) => [...lack.fragments[kind]!]
  for (const kind of [FRAGMENT.item, FRAGMENT.pinnedItem]) {
    const items = of(kind)
    if (items.length > 0) makeItems(kept, hydrator.feed(items, undefined), { kind, items })
  }
  const posts = of(FRAGMENT.post)
  if (posts.length > 0) makePosts(kept, hydrator.posts(posts, undefined), posts)
  for (const kind of [FRAGMENT.profile, FRAGMENT.fullProfile]) {
    const uids = of(kind)
    if (uids.length > 0) makeProfiles(kept, hydrator.profiles(uids, undefined), { kind, uids })
  }
  const counted = of(FRAGMENT.counts)
  if (counted.length > 0) {
    for (const [id, counts] of hydrator.postCounts(counted)) makeCounts(kept, id, counts)
  }
}

/** @returns those to whom there is a relation by list, see loadRelations. */
function loadViewer(
  hydrator: Hydrator,
  { relations, posts, gated }: Lack,
  viewer: NonNullable<Viewer>,
  memory: ViewerMemory,
): number[] {
  const loadParts = { hydrator, viewer, memory }
  if (posts.size > 0) loadPosts(loadParts, [...posts])
  if (gated.size > 0) loadGated(loadParts, gated)
  return relations.size > 0 ? loadRelations(loadParts, [...relations]) : []
}
