// app.bsky.actor.defs#profileViewDetailed: the complete profile of an account.

import type { AppBskyActorDefs } from '@atproto/api'
import type { Actor, ProfileState } from '../../hydrate/types.ts'
import { blobCid, text } from '../fields.ts'
import { viewerBlocks } from '../rules.ts'
import { starterPackViewBasic } from '../starter-pack-view.ts'
import { associated } from './about-actor.ts'
import { activitySubscription } from './activity-subscription.ts'
import { profileViewer } from './profile-viewer.ts'
import {
  pinnedPost,
  profileBase,
  profileText,
  profileViewBasic,
  visibleActor,
} from './profile-views.ts'

type Detailed = Omit<AppBskyActorDefs.ProfileViewDetailed, '$type'>

/** @returns undefined if the account is unknown or hidden. */
export function profileViewDetailed(state: ProfileState, uid: number): Detailed | undefined {
  const actor = visibleActor(state, uid)
  if (!actor) return undefined
  const viewer = profileViewer(state, uid)
  return {
    ...profileBase(state, actor),
    ...profileText(actor.profile),
    ...profileDetails(state, actor),
    viewer: viewer && {
      ...viewer,
      activitySubscription: activitySubscription(state, uid),
      knownFollowers: knownFollowers(state, uid),
    },
  }
}

function profileDetails(state: ProfileState, actor: Actor): Partial<Detailed> {
  const { did, uid, profile } = actor
  const banner = blobCid(profile?.record.banner)
  const website = text(profile?.record.website)
  const about = state.about.get(uid)
  const counts = state.recordCounts.get(uid)
  const pack = profile?.record.joinedViaStarterPack
  return {
    // The record may contain any URI; clients get only https.
    website: website?.startsWith('https://') ? website : undefined,
    banner: banner && state.urls.image('banner', did, banner),
    followersCount: actor.followersCount,
    followsCount: actor.followsCount,
    postsCount: actor.postsCount,
    associated: {
      ...associated(about),
      lists: state.listCounts.get(uid) ?? 0,
      feedgens: counts?.feedgens ?? 0,
      starterPacks: counts?.starterPacks ?? 0,
      labeler: about?.isLabeler ?? false,
    },
    joinedViaStarterPack: pack && starterPackViewBasic(state, pack.uri),
    pinnedPost: pinnedPost(profile),
  }
}

/** `viewer.knownFollowers` of a profile, if the state has them. */
export function knownFollowers(
  state: ProfileState,
  subject: number,
): AppBskyActorDefs.KnownFollowers | undefined {
  const known = state.knownFollowers.get(subject)
  if (!known) return undefined
  const visible = known.followers.filter(
    (uid) => !viewerBlocks(state, uid) && !state.blocks.has(subject, uid),
  )
  const followers = visible.map((uid) => profileViewBasic(state, uid))
  return { count: known.count, followers: followers.filter((view) => view !== undefined) }
}
