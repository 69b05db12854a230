// Loads what a page is missing, each kind in a few statements, and builds cached views from it.

import type { Hydrator } from '../hydrate/hydrator-types.ts'
import { PRESENTED_LIKERS } from '../hydrate/known-likers.ts'
import { asEveryone, type Reader, withoutLabelers } from '../hydrate/reader.ts'
import { CACHED, type CachedKind, dependency, labelSubject } from './cached-view.ts'
import type { CachedViews } from './cached-views.ts'
import type { LabelMemory } from './label-memory.ts'
import {
  loadGated,
  loadLikers,
  loadPosts,
  loadRelations,
  loadRelationsByList,
} from './load-viewer.ts'
import { makeCounts, makeItems, makePosts, makeProfiles } from './make-views.ts'
import type { LikersOnPage, Misses } from './page.ts'
import type { ViewerMemory } from './viewer-memory.ts'

export function loadMisses(
  misses: Misses,
  parts: { hydrator: Hydrator; views: CachedViews },
  reader: Reader,
  {
    memory,
    labels,
    likers,
    isInStep,
  }: {
    memory: ViewerMemory | undefined
    labels: LabelMemory | undefined
    likers: LikersOnPage | undefined
    isInStep: boolean
  },
): void {
  const { hydrator } = parts
  if (memory && likers && misses.likers.size > 0) {
    const posts = [...misses.likers.keys()]
    loadLikers({ hydrator, memory }, posts, { lists: likers.lists, isInStep })
    addLikers(misses, parts.views, { memory, likers })
  }
  // Cached views and viewer memories are independent of any set of labelers.
  loadCachedViews(misses, parts, asEveryone(reader))
  if (memory) {
    const byList = loadViewer({ hydrator, memory, reader: withoutLabelers(reader) }, misses)
    if (byList.length > 0) loadRelationsByList({ hydrator, memory, reader }, byList)
    if (likers && misses.pairs.length > 0) likers.blocks.load(misses.pairs, reader)
  }
  if (labels && misses.labels.size > 0) loadLabels(hydrator, [...misses.labels], reader, labels)
  misses.clear()
}

/** Adds what the page asks for next: it shows the first likers whom nothing hides. */
function addLikers(
  misses: Misses,
  views: CachedViews,
  { memory, likers }: { memory: ViewerMemory; likers: LikersOnPage },
): void {
  for (const [post, author] of misses.likers) {
    const { uids = [] } = memory.likers.get(post) ?? {}
    for (const uid of uids.slice(0, PRESENTED_LIKERS)) {
      if (!memory.relations.has(uid)) misses.relations.add(uid)
      if (!views.get(CACHED.profile, uid)) misses.viewCache[CACHED.profile]!.add(uid)
      if (uid !== author && likers.blocks.between(author, uid) === undefined)
        misses.pairs.push([author, uid])
    }
  }
}

/**
 * Loads the labels of these subjects.
 * @param subjects - `dependency` of posts and accounts
 */
export function loadLabels(
  hydrator: Hydrator,
  subjects: readonly number[],
  reader: Reader,
  labels: LabelMemory,
): void {
  const posts: number[] = []
  const accounts: number[] = []
  for (const subject of subjects) {
    const of = labelSubject(subject)
    if ('post' in of) posts.push(of.post)
    else accounts.push(of.account)
  }
  const labelled = hydrator.labelled({ posts, accounts }, reader)
  for (const id of posts) labels.add(dependency.post(id), labelled.posts.get(id))
  for (const uid of accounts) labels.add(dependency.actor(uid), labelled.accounts.get(uid))
}

function loadCachedViews(
  misses: Misses,
  { hydrator, views }: { hydrator: Hydrator; views: CachedViews },
  everyone: Reader,
): void {
  const of = (kind: CachedKind) => [...misses.viewCache[kind]!]
  for (const kind of [CACHED.item, CACHED.pinnedItem]) {
    const items = of(kind)
    if (items.length > 0) makeItems(views, hydrator.feed(items, everyone), { kind, items })
  }
  const posts = of(CACHED.post)
  if (posts.length > 0) makePosts(views, hydrator.posts(posts, everyone), posts)
  for (const kind of [CACHED.profile, CACHED.fullProfile]) {
    const uids = of(kind)
    if (uids.length > 0) makeProfiles(views, hydrator.profiles(uids, everyone), { kind, uids })
  }
  const counted = of(CACHED.counts)
  if (counted.length > 0) {
    for (const [id, counts] of hydrator.postCounts(counted)) makeCounts(views, id, counts)
  }
}

/** @returns the accounts with a relation by list, see loadRelations. */
function loadViewer(
  loadParts: { hydrator: Hydrator; memory: ViewerMemory; reader: Reader },
  { relations, posts, gated }: Misses,
): number[] {
  if (posts.size > 0) loadPosts(loadParts, [...posts])
  if (gated.size > 0) loadGated(loadParts, gated)
  return relations.size > 0 ? loadRelations(loadParts, [...relations]) : []
}
