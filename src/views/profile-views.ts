// app.bsky.actor.defs: profileViewBasic, profileView and profileViewDetailed. Each is a part that
// is the same for every viewer, and a viewer object.

import type { AppBskyActorDefs } from '@atproto/api'
import { isStrongRef } from '../hydrate/record-shapes.ts'
import type { Actor, MediaUrls, Profile, ProfileState } from '../hydrate/types.ts'
import { blobCid, datetime, text } from './fields.ts'
import { oncePerObject, oncePerState } from './memo.ts'
import { profileViewer } from './profile-viewer.ts'
import { extended, keepJson } from './ready-json.ts'
import { viewerBlocks } from './rules.ts'
import { selfLabels } from './self-labels.ts'

type Basic = Omit<AppBskyActorDefs.ProfileViewBasic, '$type'>
type Text = Pick<AppBskyActorDefs.ProfileView, 'description' | 'indexedAt'>
type Detailed = Omit<AppBskyActorDefs.ProfileViewDetailed, '$type'>

/** @returns undefined where the account is unknown or hidden; so do the other two. */
export const profileViewBasic = oncePerState(
  (state: ProfileState, uid: number): Basic | undefined => {
    const actor = visibleActor(state, uid)
    if (!actor) return undefined
    return keepJson(extended(profileBase(actor, state.urls), { viewer: profileViewer(state, uid) }))
  },
)

export function profileView(
  state: ProfileState,
  uid: number,
): AppBskyActorDefs.ProfileView | undefined {
  const actor = visibleActor(state, uid)
  if (!actor) return undefined
  return extended(profileBase(actor, state.urls), {
    ...profileText(actor.profile),
    viewer: profileViewer(state, uid),
  })
}

export function profileViewDetailed(state: ProfileState, uid: number): Detailed | undefined {
  const actor = visibleActor(state, uid)
  if (!actor) return undefined
  const viewer = profileViewer(state, uid)
  return {
    ...profileBase(actor, state.urls),
    ...profileText(actor.profile),
    ...profileDetails(state, actor),
    viewer: viewer && { ...viewer, knownFollowers: knownFollowers(state, uid) },
  }
}

function visibleActor(state: ProfileState, uid: number): Actor | undefined {
  const actor = state.actors.get(uid)
  return actor && !actor.hiddenAs ? actor : undefined
}

/** What is the same for every viewer. */
const profileBase = oncePerObject(({ did, handle, profile }: Actor, urls: MediaUrls): Basic => {
  const avatar = blobCid(profile?.record.avatar)
  return keepJson({
    did,
    handle,
    displayName: text(profile?.record.displayName),
    pronouns: text(profile?.record.pronouns),
    avatar: avatar && urls.image('avatar', did, avatar),
    associated: { activitySubscription: { allowSubscriptions: 'followers' } },
    labels: profile ? profileLabels(did, profile) : [],
    createdAt: profile?.createdAt === undefined ? undefined : datetime(profile.createdAt),
  })
})

function profileLabels(did: string, { cid, record }: Profile): NonNullable<Basic['labels']> {
  return selfLabels(record, { did, uri: `at://${did}/app.bsky.actor.profile/self`, cid })
}

function profileText(profile: Profile | undefined): Text {
  if (!profile) return {}
  return {
    description: text(profile.record.description) || undefined,
    indexedAt: datetime(profile.sortAt),
  }
}

function profileDetails({ urls, listCounts }: ProfileState, actor: Actor): Partial<Detailed> {
  const { did, uid, profile } = actor
  const banner = blobCid(profile?.record.banner)
  const website = text(profile?.record.website)
  return {
    // The record may name any URI; clients get no schemes but https.
    website: website?.startsWith('https://') ? website : undefined,
    banner: banner && urls.image('banner', did, banner),
    followersCount: actor.followersCount,
    followsCount: actor.followsCount,
    postsCount: actor.postsCount,
    associated: {
      lists: listCounts.get(uid) ?? 0,
      feedgens: 0,
      starterPacks: 0,
      labeler: false,
      activitySubscription: { allowSubscriptions: 'followers' },
    },
    pinnedPost: pinnedPost(profile),
  }
}

/** Records are known to carry invalid ones; those are left out. */
export function pinnedPost(profile: Profile | undefined): Detailed['pinnedPost'] {
  const pinned = profile?.record.pinnedPost
  return isStrongRef(pinned) ? { uri: pinned!.uri, cid: pinned!.cid } : undefined
}

function knownFollowers(
  state: ProfileState,
  subject: number,
): AppBskyActorDefs.KnownFollowers | undefined {
  const known = state.knownFollowers.get(subject)
  if (!known) return undefined
  const shown = known.followers.filter(
    (uid) => !viewerBlocks(state, uid) && !state.blocks.has(subject, uid),
  )
  const followers = shown.map((uid) => profileViewBasic(state, uid))
  return { count: known.count, followers: followers.filter((view) => view !== undefined) }
}
