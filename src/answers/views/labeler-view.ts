import type { AppBskyLabelerDefs } from '@atproto/api'
import type { ProfileState } from '../hydrate/types.ts'
import { datetime } from './fields.ts'
import { labelsOf } from './labels.ts'
import { profileView } from './profiles/profile-views.ts'
import { selfLabels } from './self-labels.ts'
import { storedRecord } from './stored-record.ts'

type View = Omit<AppBskyLabelerDefs.LabelerView, '$type'>
type Detailed = Omit<AppBskyLabelerDefs.LabelerViewDetailed, '$type'>

/** at-URI of an account's only labeler record. */
export function labelerUri(did: string): string {
  return `at://${did}/app.bsky.labeler.service/self`
}

/**
 * @returns undefined if the record is not in our index, or its creator is hidden; so does
 * labelerViewDetailed.
 */
export function labelerView(state: ProfileState, uri: string): View | undefined {
  const held = storedRecord(state, uri, 'app.bsky.labeler.service')
  const creator = held && profileView(state, held.uid)
  if (!creator) return undefined
  const { record, cid, like, likeCount, sortAt } = held
  return {
    uri,
    cid,
    creator,
    likeCount,
    viewer: state.viewer && { like },
    indexedAt: datetime(sortAt),
    labels: [...labelsOf(state, uri), ...selfLabels(record, { did: creator.did, uri, cid })],
  }
}

export function labelerViewDetailed(state: ProfileState, uri: string): Detailed | undefined {
  const view = labelerView(state, uri)
  const held = storedRecord(state, uri, 'app.bsky.labeler.service')
  if (!view || !held) return undefined
  const { policies, reasonTypes, subjectTypes, subjectCollections } = held.record
  return { ...view, policies, reasonTypes, subjectTypes, subjectCollections }
}
