// app.bsky.graph.defs#starterPackViewBasic and #starterPackView.

import type { AppBskyGraphDefs } from '@atproto/api'
import type { ProfileState } from '../hydrate/types.ts'
import { datetime } from './fields.ts'
import { generatorView } from './generator-view.ts'
import { labelsOf } from './labels.ts'
import { listViewBasic } from './list-view-basic.ts'
import { profileView, profileViewBasic } from './profiles/profile-views.ts'
import { storedRecord } from './stored-record.ts'

type Basic = Omit<AppBskyGraphDefs.StarterPackViewBasic, '$type'>
type View = Omit<AppBskyGraphDefs.StarterPackView, '$type'>
type ListItem = Omit<AppBskyGraphDefs.ListItemView, '$type'>

/**
 * @returns undefined if the record is not in our index, or its creator is hidden; so does
 * starterPackView.
 */
export function starterPackViewBasic(state: ProfileState, uri: string): Basic | undefined {
  const held = storedRecord(state, uri, 'app.bsky.graph.starterpack')
  const creator = held && profileViewBasic(state, held.uid)
  if (!creator) return undefined
  const joins = state.joins.get(uri)
  return {
    uri,
    cid: held.cid,
    record: held.record,
    creator,
    joinedAllTimeCount: joins?.allTime ?? 0,
    joinedWeekCount: joins?.week ?? 0,
    labels: labelsOf(state, uri),
    indexedAt: datetime(held.sortAt),
  }
}

/** Needs a state loaded with the content of starter packs. */
export function starterPackView(state: ProfileState, uri: string): View | undefined {
  const basic = starterPackViewBasic(state, uri)
  const held = storedRecord(state, uri, 'app.bsky.graph.starterpack')
  if (!basic || !held) return undefined
  const { list, sample } = state.packs.get(uri) ?? { list: undefined, sample: [] }
  const feeds = (held.record.feeds ?? []).map((feed) => generatorView(state, feed.uri))
  const items = sample.map((item) => listItemView(state, item))
  return {
    ...basic,
    feeds: feeds.filter((view) => view !== undefined),
    list: listViewBasic(state, list),
    listItemsSample: items.filter((view) => view !== undefined),
  }
}

/** @returns undefined if the account cannot be shown. */
export function listItemView(
  state: ProfileState,
  { uri, subject, isOptedOut }: { uri: string; subject: number; isOptedOut?: boolean },
): ListItem | undefined {
  const view = profileView(state, subject)
  if (!view) return undefined
  return isOptedOut ? { uri, subject: view, subjectOptedOut: true } : { uri, subject: view }
}
