// What visitors are not shown: whom the account's own label says, and what labels hide from everybody who has
// chosen nothing.

import type { AppBskyActorDefs, AppBskyFeedDefs } from '@atproto/api'

export type Author = Pick<
  AppBskyActorDefs.ProfileViewBasic,
  'did' | 'handle' | 'displayName' | 'avatar' | 'labels'
>
export type Post = AppBskyFeedDefs.PostView

const MEMBERS_ONLY = '!no-unauthenticated'
const HIDDEN = ['!hide', '!takedown', '!suspend']
/** Media with these labels is covered for accounts that never chose, and left out here. */
const COVERED = ['!warn', 'porn', 'sexual', 'nudity', 'graphic-media', 'gore']

type Labels = readonly { val: string; neg?: boolean | undefined }[] | undefined

const has = (labels: Labels, values: readonly string[]) =>
  (labels ?? []).some(({ val, neg }) => !neg && values.includes(val))

export function isForMembers({ labels }: Pick<Author, 'labels'>): boolean {
  return has(labels, [MEMBERS_ONLY])
}

export function isHidden({ author, labels }: { author: Author; labels?: Labels }): boolean {
  return isForMembers(author) || has(author.labels, HIDDEN) || has(labels, HIDDEN)
}

export function isCovered({ author, labels }: { author: Author; labels?: Labels }): boolean {
  return has(labels, COVERED) || has(author.labels, COVERED)
}
