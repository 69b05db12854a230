// Writes one element of a page: decides by the method's rules whether this viewer is shown it, and returns
// its JSON.

import { ReadyJson } from '../views/json/ready-json.ts'
import { type FeedItemRules, type RelationRules, rulesAbout } from '../views/rules.ts'
import { CACHED, dependency, type ItemFacts } from './cached-view.ts'
import type { Page, Written } from './page.ts'
import type { PageSources } from './page-sources.ts'

export type ItemOptions = {
  /** Whether an item is shown; if omitted, all are. */
  isShown?: (rules: FeedItemRules, facts: ItemFacts) => boolean
  /** The item that is shown first because its author pinned it. */
  pinned?: number
  /** Where to note what the items are written from. */
  sources?: PageSources | undefined
}

export type ProfileOptions = {
  /** Writes profileViewBasic instead of profileView. */
  basic?: boolean
  isShown?: (uid: number, viewer: RelationRules) => boolean
}

const NOTHING = new ReadyJson([])
const MISSES: Written = { view: NOTHING, state: 'misses' }
const UNFIT: Written = { view: NOTHING, state: 'unfit' }

/** @returns undefined if the item is not shown; so do the functions below. */
export function writeItem(page: Page, item: number, options: ItemOptions): Written | undefined {
  const kind = item === options.pinned ? CACHED.pinnedItem : CACHED.item
  const cachedView = page.cachedView(kind, item)
  if (!cachedView) return MISSES
  const { isShown } = options
  if (isShown) {
    page.begin()
    const rules = rulesAbout(cachedView.facts!, (uid) => page.relation(uid))
    // Written anyway, so that everything missing is loaded together.
    if (page.hasMisses) return { ...page.write(cachedView), state: 'misses' }
    if (!isShown(rules, cachedView.facts!)) return notShown(page, cachedView.facts!)
  }
  if (cachedView.showing !== 'absent') return page.write(cachedView)
  page.noteMissing(cachedView)
  return undefined
}

/**
 * Falls back to the slow path if the parent is taken down: then the authors above it do not matter.
 */
function notShown(page: Page, { parent }: ItemFacts): Written | undefined {
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
  if (options.isShown && !options.isShown(uid, relation)) return undefined
  return cachedView.showing === 'absent' ? undefined : page.write(cachedView)
}
