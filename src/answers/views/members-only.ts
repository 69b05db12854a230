// Accounts that show nothing to those who are not signed in (`!no-unauthenticated`, by their own word or
// a labeler's). The reference withholds their posts in threads alone and leaves feeds to the client;
// here nobody gets them who may not see them. Profiles are shown, with the label.

import type { ProfileState } from '../hydrate/types.ts'
import { profileBase } from './profile-views.ts'

const NO_UNAUTHENTICATED = '!no-unauthenticated'

type Labelled = { labels?: readonly { val: string }[] }

/** Whether posts of the account are withheld from whom the state was loaded for. */
export function isWithheld(state: ProfileState, uid: number): boolean {
  // Cached views say for each profile whom it is for (answers/cache/page.ts).
  if (state.forEveryone || state.viewer) return false
  const actor = state.actors.get(uid)
  return actor !== undefined && isForMembersOnly(profileBase(state, actor))
}

/** Of a profile's view. */
export function isForMembersOnly({ labels }: Labelled): boolean {
  return labels?.some(({ val }) => val === NO_UNAUTHENTICATED) ?? false
}
