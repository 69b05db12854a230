import type { AppBskyGraphDefs } from '@atproto/api'
import { didOfUri } from '../../base/atproto/at-uri.ts'
import type { List, ProfileState } from '../hydrate/types.ts'
import { blobCid, datetime } from './fields.ts'
import { labelsOf } from './labels.ts'

type Basic = Omit<AppBskyGraphDefs.ListViewBasic, '$type'> & { indexedAt: string }

/** @returns undefined if the list is not in our index. */
export function listViewBasic(state: ProfileState, id: number | undefined): Basic | undefined {
  // Lists are added and deleted without invalidating the views that show them.
  state.forEveryone?.refuse()
  const list = state.lists.get(id ?? 0)
  return list && { ...listBase(state, list), viewer: listViewer(state, list) }
}

/** The part that, except for labels, is the same for every viewer. */
function listBase(state: ProfileState, list: List) {
  const { record, uri, cid } = list
  const avatar = blobCid(record.avatar)
  return {
    uri,
    cid,
    name: record.name,
    purpose: record.purpose,
    avatar: avatar && state.urls.image('avatar', didOfUri(uri), avatar),
    listItemCount: list.itemCount,
    indexedAt: datetime(list.sortAt),
    labels: labelsOf(state, uri),
  }
}

function listViewer(
  { viewer }: ProfileState,
  list: List,
): AppBskyGraphDefs.ListViewerState | undefined {
  if (!viewer) return undefined
  const { mutedByViewer: muted, blockedByViewer: blocked, optOutOfViewer } = list
  return { muted, blocked, referenceListOptOut: optOutOfViewer as `at://${string}` | undefined }
}
