// Turns the items of a page into views: from the view cache, which hydrates, judges and presents at once
// (answers/cache/), or from state hydrated for this answer. The reader notes what the page shows and what is
// missing, so that it can be fetched.

import type { ItemFacts } from '../../../answers/cache/cached-view.ts'
import type { PageSources } from '../../../answers/cache/page-sources.ts'
import type { Reader } from '../../../answers/hydrate/reader.ts'
import type { ProfileState } from '../../../answers/hydrate/types.ts'
import {
  type FeedItemRules,
  isBlockedOrMuted,
  type RelationRules,
  viewerBlocks,
} from '../../../answers/views/rules.ts'
import type { AppContext } from '../app-context.ts'
import type { Needs } from '../define.ts'
import type { View } from './paged-method.ts'

type For = {
  call: { readonly reader: Reader }
  /** Where to note what the page is written from. */
  sources?: PageSources | undefined
}

/** profileView of each account; with `basic`, profileViewBasic. */
export function profiles({
  filter: isVisible,
  basic = false,
}: {
  filter?: (uid: number, relation: RelationRules) => boolean
  basic?: boolean
} = {}) {
  return ({ viewCache }: Needs<'viewCache'>, uids: readonly number[], { call }: For) =>
    viewCache.profiles(uids, call.reader, { basic, isVisible })
}

/** feedViewPost of each feed item. */
export function feedItems({
  filter: isVisible,
}: {
  filter: (rules: FeedItemRules, facts: ItemFacts) => boolean
}) {
  return ({ viewCache }: Needs<'viewCache'>, items: readonly number[], { call, sources }: For) =>
    viewCache.items(items, call.reader, { isVisible, sources })
}

/** postView of each post that is in no block with the viewer. */
export function posts() {
  return ({ viewCache }: Needs<'viewCache'>, ids: readonly number[], { call }: For) =>
    viewCache.posts(ids, call.reader, { knownLikers: 'all' })
}

export function notBlockedOrMuted(rules: FeedItemRules): boolean {
  return !isBlockedOrMuted(rules)
}

export function notBlocked(_uid: number, { blocks }: RelationRules): boolean {
  return !blocks
}

export function neitherBlockedNorMuted(_uid: number, { blocks, mutes }: RelationRules): boolean {
  return !blocks && !mutes
}

/** Hydrates all items and presents those that are kept. */
export function hydrated<Item, State extends ProfileState, Page extends For>(steps: {
  hydrate: (app: AppContext, items: readonly Item[], reader: Reader) => State
  filter?: (state: State, item: Item, page: Page) => boolean
  view: (state: State, item: Item, page: Page) => View
}) {
  return (app: AppContext, items: readonly Item[], page: Page): View[] => {
    const { reader } = page.call
    const state = steps.hydrate(app, items, reader)
    reader.missing.addProfiles(state)
    const filtered = steps.filter ? items.filter((item) => steps.filter!(state, item, page)) : items
    return filtered.map((item) => steps.view(state, item, page))
  }
}

/**
 * Feed generators or starter packs, by at-URI; with `content`, including the fields that only a
 * full pack view shows.
 */
export function records(steps: {
  content?: boolean
  filter?: (state: ProfileState, uri: string) => boolean
  view: (state: ProfileState, uri: string) => View
}) {
  const { content = false, ...further } = steps
  return hydrated({
    hydrate: ({ hydrator }, uris: readonly string[], reader) =>
      hydrator.records(uris, reader, { content }),
    ...further,
  })
}

/** Whether the record's creator is in no block with the viewer. */
export function creatorNotBlocked(state: ProfileState, uri: string): boolean {
  return !viewerBlocks(state, state.records.get(uri)?.uid ?? 0)
}
