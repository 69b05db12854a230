import type { AppBskyGraphDefs } from '@atproto/api'
import type { ProfileState } from '../hydrate/types.ts'
import { listViewBasic } from './list-view-basic.ts'
import { profileView } from './profiles/profile-views.ts'

/** @returns undefined if the list is not in our index, or its creator is hidden. */
export function listView(
  state: ProfileState,
  id: number | undefined,
): AppBskyGraphDefs.ListView | undefined {
  const list = state.lists.get(id ?? 0)
  const basic = listViewBasic(state, id)
  const creator = list && profileView(state, list.uid)
  if (!list || !basic || !creator) return undefined
  const { description, descriptionFacets } = list.record
  return { ...basic, creator, description, descriptionFacets }
}
