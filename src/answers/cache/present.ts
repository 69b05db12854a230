// Presents the elements of an answer: writes them from the cache at once, loads what is missing for all of
// them together and writes those again. Elements that cannot be written take the slow path.

import { timed } from '../../base/util/turn.ts'
import type { Hydrator, LikersOf } from '../hydrate/hydrator-types.ts'
import type { LikerLists } from '../hydrate/known-likers.ts'
import type { Reader } from '../hydrate/reader.ts'
import { ReadyJson } from '../views/json/ready-json.ts'
import { type FeedItemRules, type RelationRules, rulesAbout } from '../views/rules.ts'
import { CACHED, dependency, type ItemFacts } from './cached-view.ts'
import type { CachedViews } from './cached-views.ts'
import type { KnownBlocks } from './known-blocks.ts'
import type { LabelMemories } from './label-memory.ts'
import { loadMisses } from './load-misses.ts'
import { type LikersOnPage, Page, type Written } from './page.ts'
import type { PageSources } from './page-sources.ts'
import type { ViewerMemories, ViewerMemory } from './viewer-memory.ts'

type PresentContext = {
  hydrator: Hydrator
  views: CachedViews
  viewers: ViewerMemories
  labels: LabelMemories
  likers: LikerLists
  blocks: KnownBlocks
  /** Whether graph and accounts in memory are as the rows. */
  isInStep: boolean
  /** Number of elements that were ready, and of those that had to be built or completed. */
  looked: { hits: number; misses: number }
}

export type Ways = {
  /** Which posts show their known likers; undefined: none. */
  likersOf: LikersOf | undefined

  /** @returns undefined if the element is not shown */
  fast: (page: Page, id: number) => Written | undefined
  slow: (ids: number[]) => (ReadyJson | undefined)[]
  /** Where to note what the elements are written from. */
  sources?: PageSources | undefined
}

/** Each round of loading reveals misses one level deeper: posts in items, accounts in posts. */
const MAX_ROUNDS = 6

/** @returns the elements in the order of `ids`, undefined for elements not shown. */
export function presentFast(
  context: PresentContext,
  reader: Reader,
  ids: readonly number[],
  ways: Ways,
): (ReadyJson | undefined)[] {
  const { viewer, labelers, now } = reader
  const { sources } = ways
  if (!isUsual(reader)) {
    sources?.refuse()
    return ways.slow([...ids])
  }
  const { views, viewers } = context
  const memory = viewer && viewers.visit(viewer.uid)
  const labels = context.labels.of(labelers)
  const likers = likersOnPage(context, memory, ways.likersOf)
  if (memory) sources?.begin({ ...context, viewer: memory, labels })
  const page = new Page(views, memory, { labels, likers, now, sources })
  const written: (ReadyJson | undefined)[] = new Array(ids.length)
  const { isInStep } = context
  const found = { memory, labels, likers, isInStep }
  const load = () => timed('rows', () => loadMisses(page.misses, context, reader, found))
  const unfit = writeAll(page, ids, { written, write: ways.fast, load, looked: context.looked })
  // No invalidation names what was made for this viewer, or is held for this visit alone.
  if (unfit.length > 0 || memory?.hasPassing !== false) sources?.refuse()
  if (memory && memory.uid !== 0) viewers.leave(memory)
  for (const missing of page.missing) {
    reader.missing.add(missing)
    sources?.addMissing(missing)
  }
  if (unfit.length === 0) return written
  const slow = ways.slow(unfit.map((at) => ids[at]!))
  for (const [i, at] of unfit.entries()) written[at] = slow[i]
  return written
}

/**
 * A viewer's memory includes blocks and mutes and is shared by all its requests, so other readers
 * bypass it.
 */
export function isUsual({ viewer, seesTakenDown }: Reader): boolean {
  return !viewer?.seesThroughBlocks && !viewer?.withoutPrivateState && !seesTakenDown
}

/** Nobody is known to visitors, nor to an account that was never seen. */
function likersOnPage(
  { hydrator: { knownLikers }, likers, blocks }: PresentContext,
  memory: ViewerMemory | undefined,
  of: LikersOf | undefined,
): LikersOnPage | undefined {
  if (!memory || memory.uid === 0 || !of) return undefined
  return { of, lists: knownLikers.isMember(memory.uid) ? likers : undefined, blocks }
}

type Writing = {
  written: (ReadyJson | undefined)[]
  write: Ways['fast']
  load: () => void
  looked: PresentContext['looked']
}

/** @returns the indices of the elements left to the slow path. */
function writeAll(
  page: Page,
  ids: readonly number[],
  { written, write, load, looked }: Writing,
): number[] {
  const unfit: number[] = []
  let pending = ids.map((_, at) => at)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const uncached: number[] = []
    for (const at of pending) {
      const item = write(page, ids[at]!)
      if (item?.state === 'misses') uncached.push(at)
      else if (item?.state === 'unfit') unfit.push(at)
      else written[at] = item?.view
    }
    if (round === 0) {
      looked.misses += uncached.length
      looked.hits += ids.length - uncached.length
    }
    if (uncached.length === 0) return unfit
    load()
    pending = uncached
  }
  // With a very small cache, loaded entries may be evicted again before use.
  return [...unfit, ...pending].sort((a, b) => a - b)
}

// Writes one element of a page: decides by the method's rules whether this viewer is shown it, and returns
// its JSON.

export type ItemOptions = {
  /** Whether an item is shown; if omitted, all are. */
  isVisible?: (rules: FeedItemRules, facts: ItemFacts) => boolean
  /** The item that is shown first because its author pinned it. */
  pinned?: number
  /** Where to note what the items are written from. */
  sources?: PageSources | undefined
}

export type ProfileOptions = {
  /** Writes profileViewBasic instead of profileView. */
  basic?: boolean
  isVisible?: (uid: number, viewer: RelationRules) => boolean
}

const NOTHING = new ReadyJson([])
const MISSES: Written = { view: NOTHING, state: 'misses' }
const UNFIT: Written = { view: NOTHING, state: 'unfit' }

/** @returns undefined if the item is not shown; so do the functions below. */
export function writeItem(page: Page, item: number, options: ItemOptions): Written | undefined {
  const kind = item === options.pinned ? CACHED.pinnedItem : CACHED.item
  const cachedView = page.cachedView(kind, item)
  if (!cachedView) return MISSES
  const { isVisible } = options
  if (isVisible) {
    page.begin()
    const rules = rulesAbout(cachedView.facts!, (uid) => page.relation(uid))
    // Written anyway, so that everything missing is loaded together.
    if (page.hasMisses) return { ...page.write(cachedView), state: 'misses' }
    if (!isVisible(rules, cachedView.facts!)) return notVisible(page, cachedView.facts!)
  }
  if (cachedView.showing !== 'absent') return page.write(cachedView)
  page.noteMissing(cachedView)
  return undefined
}

/**
 * Falls back to the slow path if the parent is taken down: then the authors above it do not matter.
 */
function notVisible(page: Page, { parent }: ItemFacts): Written | undefined {
  if (parent === 0) return undefined
  const isActedUpon = page.isActedUpon(dependency.post(parent))
  if (page.hasMisses) return MISSES
  return isActedUpon ? UNFIT : undefined
}

export function writePost(page: Page, id: number): Written | undefined {
  const cachedView = page.cachedView(CACHED.post, id)
  if (!cachedView) return MISSES
  if (cachedView.showing === 'absent') return undefined
  page.begin()
  const { blocks } = page.relation(cachedView.author)
  if (page.hasMisses) return { ...page.write(cachedView), state: 'misses' }
  return blocks ? undefined : page.write(cachedView)
}

export function writeProfile(
  page: Page,
  uid: number,
  options: ProfileOptions,
): Written | undefined {
  const cachedView = page.cachedView(options.basic ? CACHED.profile : CACHED.fullProfile, uid)
  if (!cachedView) return MISSES
  page.begin()
  const relation = page.relation(uid)
  if (page.hasMisses) return MISSES
  if (options.isVisible && !options.isVisible(uid, relation)) return undefined
  return cachedView.showing === 'absent' ? undefined : page.write(cachedView)
}
