// Accounts that hide their content from visitors who are not signed in (`!no-unauthenticated`, as a
// self-label or by a labeler). The reference withholds their posts only in threads and leaves feeds to the
// client; here these visitors never get the posts. Profiles are shown, with the label.

import type { ProfileState } from '../hydrate/types.ts'
import { profileBase } from './profiles/profile-views.ts'

const NO_UNAUTHENTICATED = '!no-unauthenticated'

type Labelled = { labels?: readonly { val: string }[] }

/** Whether the account's posts are withheld from the state's viewer. */
export function isWithheld(state: ProfileState, uid: number): boolean {
  // Each profile's cached view has a flag for this (answers/cache/page.ts).
  if (state.forEveryone || state.viewer) return false
  const actor = state.actors.get(uid)
  return actor !== undefined && isForMembersOnly(profileBase(state, actor))
}

/** Takes a profile's view. */
export function isForMembersOnly({ labels }: Labelled): boolean {
  return labels?.some(({ val }) => val === NO_UNAUTHENTICATED) ?? false
}
