// What a threadgate or a postgate allows an account to do.

import type { AppBskyRichtextFacet } from '@atproto/api'
import type { Post, Postgate, ProfileState, Threadgate } from '../../hydrate/types.ts'
import { hasType } from '../fields.ts'
import { relationTo } from '../profiles/profile-viewer.ts'

type RuleName = 'mentionRule' | 'followerRule' | 'followingRule'

/** Whether the state's viewer may reply in the thread of `owner`, whose root may be missing. */
export function viewerMayReply(
  state: ProfileState,
  gate: Threadgate,
  { owner, root }: { owner: number; root: Post | undefined },
): boolean {
  const { viewer } = state
  const { allow } = gate.record
  // Without rules, anyone may reply; with an empty list of rules, no one may.
  if (!viewer || !allow || viewer.uid === owner) return true
  const allows = (rule: RuleName) =>
    allow.some(({ $type }) => $type === `app.bsky.feed.threadgate#${rule}`)
  const relation = relationTo(state, owner)
  return (
    (allows('mentionRule') && root !== undefined && mentions(root, viewer.did)) ||
    (allows('followerRule') && relation.following !== undefined) ||
    (allows('followingRule') && relation.followedBy !== undefined) ||
    gate.lists.some((id) => state.viewerLists.has(id))
  )
}

/** Whether the gate depends on the members of a list. */
export function hasListRule({ record }: Threadgate): boolean {
  return record.allow?.some(({ $type }) => $type === 'app.bsky.feed.threadgate#listRule') ?? false
}

/** Whether the state's viewer may embed the post. */
export function viewerMayEmbed(
  state: ProfileState,
  gate: Postgate | undefined,
  author: number,
): boolean {
  if (!gate?.record.embeddingRules || state.viewer?.uid === author) return true
  return !gate.record.embeddingRules.some(
    ({ $type }) => $type === 'app.bsky.feed.postgate#disableRule',
  )
}

function mentions({ record }: Post, did: string): boolean {
  const features = (record.facets ?? []).flatMap((facet) => facet.features)
  return features.some(
    (feature) =>
      hasType<AppBskyRichtextFacet.Mention>(feature, 'app.bsky.richtext.facet#mention') &&
      feature.did === did,
  )
}
