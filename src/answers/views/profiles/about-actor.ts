// The fields of a profile view that do not come from its record: `associated`, `verification` and `status`.
// As in the reference, an account without a valid handle is not verified either.

import type { AppBskyActorDefs } from '@atproto/api'
import { INVALID_HANDLE } from '../../../base/atproto/handle.ts'
import type { AboutActor } from '../../hydrate/stored-records.ts'
import type { Actor, ProfileState } from '../../hydrate/types.ts'
import { datetime, text } from '../fields.ts'
import { isImpersonation, isTakenDownByLabel } from '../labels.ts'
import { statusView } from './status-view.ts'

type Basic = AppBskyActorDefs.ProfileViewBasic

/** The fields that differ from those of an account without an entry in `about`. */
export function aboutView(
  state: ProfileState,
  actor: Actor,
  about: AboutActor,
): Pick<Basic, 'associated' | 'verification' | 'status'> {
  return {
    associated: associated(about),
    verification: verification(state, actor, about),
    status: about.status && statusView(state, actor, about.status),
  }
}

/** Omits `labeler` if the account is not one; profileViewDetailed includes it. */
export function associated(about: AboutActor | undefined): NonNullable<Basic['associated']> {
  return {
    labeler: about?.isLabeler ? true : undefined,
    chat: about?.chat,
    activitySubscription: { allowSubscriptions: about?.allowSubscriptions ?? 'followers' },
    germ: about?.germ,
  }
}

function verification(
  state: ProfileState,
  { did, handle, profile }: Actor,
  { verifications, isTrustedVerifier }: AboutActor,
): Basic['verification'] {
  if (handle === INVALID_HANDLE || (verifications.length === 0 && !isTrustedVerifier))
    return undefined
  const views = verifications.map((verification) => {
    const issuer = state.actors.get(verification.issuer)
    const isValid =
      verification.displayName !== '' &&
      verification.displayName === profile?.record.displayName &&
      verification.handle === handle
    const named = issuer && !isTakenDownByLabel(state, issuer.did) ? issuer : undefined
    return {
      issuer: issuer?.did ?? '',
      issuerDisplayName: text(named?.profile?.record.displayName),
      issuerHandle: named?.handle === INVALID_HANDLE ? undefined : named?.handle,
      uri: verification.uri,
      isValid,
      createdAt: datetime(verification.sortAt),
    }
  })
  const visible = views.filter(({ issuer }) => issuer !== '')
  const isImpostor = isImpersonation(state, did)
  const isVerified = !isImpostor && visible.some(({ isValid }) => isValid)
  return {
    verifications: visible,
    verifiedStatus: visible.length === 0 ? 'none' : isVerified ? 'valid' : 'invalid',
    trustedVerifierStatus: isTrustedVerifier ? (isImpostor ? 'invalid' : 'valid') : 'none',
  }
}
