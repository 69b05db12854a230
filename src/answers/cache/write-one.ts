// One element of a page: whether this viewer is shown it, by the rules that its method goes by, and its
// text.

import { type FeedItemRules, type RelationRules, rulesAbout } from '../views/rules.ts'
import { dependency, FRAGMENT, type ItemFacts } from './fragment.ts'
import type { Page, Written } from './page.ts'

export type ItemOptions = {
  /** Whether an item is shown; all are where not given. */
  isShown?: (rules: FeedItemRules, facts: ItemFacts) => boolean
  /** This one of them stands first because its author pinned it. */
  pinned?: number
}

export type ProfileOptions = {
  /** profileViewBasic, or else profileView. */
  basic?: boolean
  isShown?: (uid: number, viewer: RelationRules) => boolean
}

const LACKING: Written = { text: '', state: 'lacking' }
const UNFIT: Written = { text: '', state: 'unfit' }

/** @returns undefined where it is not shown; so do the others. */
export function writeItem(page: Page, item: number, options: ItemOptions): Written | undefined {
  const kind = item === options.pinned ? FRAGMENT.pinnedItem : FRAGMENT.item
  const fragment = page.fragment(kind, item)
  if (!fragment) return LACKING
  const { isShown } = options
  if (isShown) {
    page.begin()
    const rules = rulesAbout(fragment.facts!, (uid) => page.relation(uid))
    // Written all the same, so that everything lacking is loaded together.
    if (page.isLacking) return { ...page.write(fragment), state: 'lacking' }
    if (!isShown(rules, fragment.facts!)) return notShown(page, fragment.facts!)
  }
  return fragment.showing === 'absent' ? undefined : page.write(fragment)
}

/** Where the parent was taken down, who stands above it does not matter. */
function notShown(page: Page, { parent }: ItemFacts): Written | undefined {
  if (parent === 0) return undefined
  const isActedUpon = page.isActedUpon(dependency.post(parent))
  if (page.isLacking) return LACKING
  return isActedUpon ? UNFIT : undefined
}

export function writePost(page: Page, id: number): Written | undefined {
  const fragment = page.fragment(FRAGMENT.post, id)
  if (!fragment) return LACKING
  if (fragment.showing === 'absent') return undefined
  page.begin()
  const { blocks } = page.relation(fragment.author)
  if (page.isLacking) return { ...page.write(fragment), state: 'lacking' }
  return blocks ? undefined : page.write(fragment)
}

export function writeProfile(
  page: Page,
  uid: number,
  options: ProfileOptions,
): Written | undefined {
  const fragment = page.fragment(options.basic ? FRAGMENT.profile : FRAGMENT.fullProfile, uid)
  if (!fragment) return LACKING
  page.begin()
  const relation = page.relation(uid)
  if (page.isLacking) return LACKING
  if (options.isShown && !options.isShown(uid, relation)) return undefined
  return fragment.showing === 'absent' ? undefined : page.write(fragment)
}
