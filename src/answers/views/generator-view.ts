import type { AppBskyFeedDefs } from '@atproto/api'
import type { ProfileState } from '../hydrate/types.ts'
import { blobCid, datetime } from './fields.ts'
import { labelsOf } from './labels.ts'
import { profileView } from './profiles/profile-views.ts'
import { storedRecord } from './stored-record.ts'

type View = Omit<AppBskyFeedDefs.GeneratorView, '$type'>

/** @returns undefined if the record is not in our index, or its creator is hidden. */
export function generatorView(state: ProfileState, uri: string): View | undefined {
  const held = storedRecord(state, uri, 'app.bsky.feed.generator')
  const creator = held && profileView(state, held.uid)
  if (!creator) return undefined
  const { record, cid, like, likeCount, sortAt } = held
  const avatar = blobCid(record.avatar)
  return {
    uri,
    cid,
    did: record.did,
    creator,
    displayName: record.displayName,
    description: record.description,
    descriptionFacets: record.descriptionFacets,
    avatar: avatar && state.urls.image('avatar', creator.did, avatar),
    likeCount,
    acceptsInteractions: record.acceptsInteractions,
    labels: labelsOf(state, uri),
    viewer: state.viewer && { like },
    contentMode: record.contentMode,
    indexedAt: datetime(sortAt),
  }
}
