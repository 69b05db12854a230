// app.bsky.actor.defs: profileViewBasic and profileView. Each consists of a part that is the same for every
// viewer, and a viewer object.

import type { AppBskyActorDefs } from '@atproto/api'
import { isStrongRef } from '../../hydrate/shapes/record-shapes.ts'
import type { Actor, MediaUrls, Profile, ProfileState } from '../../hydrate/types.ts'
import { blobCid, datetime, text } from '../fields.ts'
import { oncePerObject, oncePerState } from '../json/memo.ts'
import { extended, memoJson } from '../json/ready-json.ts'
import { SLOT, slot } from '../json/slots.ts'
import { withLabels, withLabelsSlot } from '../labels.ts'
import { selfLabels } from '../self-labels.ts'
import { aboutView, associated } from './about-actor.ts'
import { profileViewer } from './profile-viewer.ts'

type Basic = Omit<AppBskyActorDefs.ProfileViewBasic, '$type'>
type Label = NonNullable<Basic['labels']>[number]
type Text = Pick<AppBskyActorDefs.ProfileView, 'description' | 'indexedAt'>
type PinnedPost = AppBskyActorDefs.ProfileViewDetailed['pinnedPost']

/** @returns undefined if the account is unknown or hidden; so do the functions below. */
export const profileViewBasic = oncePerState(
  (state: ProfileState, uid: number): Basic | undefined => {
    const actor = visibleActor(state, uid)
    if (!actor) return undefined
    return state.forEveryone ? slot(SLOT.profile, uid) : memoJson(fullProfile(state, actor))
  },
)

/** Builds the profileViewBasic for which `profileViewBasic` leaves a slot. */
export function profileViewBasicForEveryone(state: ProfileState, uid: number): Basic | undefined {
  const actor = visibleActor(state, uid)
  return actor && fullProfile(state, actor)
}

function fullProfile(state: ProfileState, actor: Actor): Basic {
  return extended(profileBase(state, actor), { viewer: profileViewer(state, actor.uid) })
}

export function profileView(
  state: ProfileState,
  uid: number,
): AppBskyActorDefs.ProfileView | undefined {
  const actor = visibleActor(state, uid)
  if (!actor) return undefined
  return extended(profileBase(state, actor), {
    ...profileText(actor.profile),
    viewer: profileViewer(state, uid),
  })
}

/** @returns undefined if the account is unknown or hidden. */
export function visibleActor(state: ProfileState, uid: number): Actor | undefined {
  const actor = state.actors.get(uid)
  return actor && !actor.hiddenAs ? actor : undefined
}

/** The part that is the same for every viewer. */
export function profileBase(state: ProfileState, actor: Actor): Basic {
  const record = recordBase(actor, state.urls)
  const base = state.forEveryone
    ? withLabelsSlot(record, SLOT.profileLabels, actor.uid)
    : withLabels(state, record, actor.did, profileUri(actor.did))
  const about = state.about.get(actor.uid)
  return about ? { ...base, ...aboutView(state, actor, about) } : base
}

/** All that is shown for most accounts. */
const recordBase = oncePerObject(({ did, handle, profile }: Actor, urls: MediaUrls): Basic => {
  const avatar = blobCid(profile?.record.avatar)
  return memoJson({
    did,
    handle,
    displayName: text(profile?.record.displayName),
    pronouns: text(profile?.record.pronouns),
    avatar: avatar && urls.image('avatar', did, avatar),
    associated: associated(undefined),
    labels: ownLabels({ did, profile }),
    createdAt: profile?.createdAt === undefined ? undefined : datetime(profile.createdAt),
  })
})

/** The labels that the account itself gave its profile. */
export function ownLabels({ did, profile }: Pick<Actor, 'did' | 'profile'>): Label[] {
  return profile ? selfLabels(profile.record, { did, uri: profileUri(did), cid: profile.cid }) : []
}

function profileUri(did: string): string {
  return `at://${did}/app.bsky.actor.profile/self`
}

export function profileText(profile: Profile | undefined): Text {
  if (!profile) return {}
  return {
    description: text(profile.record.description) || undefined,
    // Earlier versions stored 0 for profiles that do not say when they were made.
    ...(profile.sortAt > 0 && { indexedAt: datetime(profile.sortAt) }),
  }
}

/** Some records contain invalid pins; those are omitted. */
export function pinnedPost(profile: Profile | undefined): PinnedPost {
  const pinned = profile?.record.pinnedPost
  return isStrongRef(pinned) ? { uri: pinned!.uri, cid: pinned!.cid } : undefined
}
