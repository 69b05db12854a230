// Loads what a page lacks, each kind of thing in a few statements, and makes fragments of it.

import { NO_LABELERS, withLabelers } from '../hydrate/labelers.ts'
import type { Hydrator, Viewer } from '../hydrate/types.ts'
import { dependency, FRAGMENT, type FragmentKind, labelSubject } from './fragment.ts'
import type { KeptFragments } from './kept-fragments.ts'
import type { LabelMemory } from './label-memory.ts'
import { loadGated, loadPosts, loadRelations } from './load-viewer.ts'
import { makeCounts, makeItems, makePosts, makeProfiles } from './make-fragments.ts'
import type { Lack } from './page.ts'
import type { ViewerMemory } from './viewer-memory.ts'

export function loadLack(
  lack: Lack,
  parts: { hydrator: Hydrator; kept: KeptFragments },
  viewer: Viewer,
  { memory, labels }: { memory: ViewerMemory | undefined; labels: LabelMemory | undefined },
): void {
  // Neither fragments nor what is known of viewers is about one set of labelers.
  withLabelers(NO_LABELERS, () => {
    loadFragments(lack, parts)
    if (viewer && memory) loadViewer(parts.hydrator, lack, viewer, memory)
  })
  if (labels && lack.labels.size > 0) loadLabels(parts.hydrator, [...lack.labels], viewer, labels)
  lack.clear()
}

/** Asks which of these are labelled. @param subjects - `dependency` of posts and accounts */
export function loadLabels(
  hydrator: Hydrator,
  subjects: readonly number[],
  viewer: Viewer,
  labels: LabelMemory,
): void {
  const posts: number[] = []
  const accounts: number[] = []
  for (const subject of subjects) {
    labels.set(subject, false)
    const of = labelSubject(subject)
    if ('post' in of) posts.push(of.post)
    else accounts.push(of.account)
  }
  const labelled = hydrator.labelled({ posts, accounts }, viewer)
  for (const id of labelled.posts) labels.set(dependency.post(id), true)
  for (const uid of labelled.accounts) labels.set(dependency.actor(uid), true)
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

function loadViewer(
  hydrator: Hydrator,
  { relations, posts, gated }: Lack,
  viewer: NonNullable<Viewer>,
  memory: ViewerMemory,
): void {
  const loadParts = { hydrator, viewer, memory }
  if (relations.size > 0) loadRelations(loadParts, [...relations])
  if (posts.size > 0) loadPosts(loadParts, [...posts])
  if (gated.size > 0) loadGated(loadParts, gated)
}
