// What a stranger wrote, follows and is followed by is mostly not here: a count of what is would read like a
// fact (“0 posts”). The lexicon lets counts be left out, so those that nobody knows are.

import type { AppBskyActorDefs } from '@atproto/api'
import { isStoredAccount } from '../fallback/holdings.ts'
import type { Needs } from './define.ts'

type Detailed = Omit<AppBskyActorDefs.ProfileViewDetailed, '$type'>

/** The view of an account without what our index can't know of it. */
export function withoutUnknownCounts(parts: Needs<'actors' | 'scope'>, view: Detailed): Detailed {
  if (isStoredAccount(parts, parts.actors.uidOf(view.did))) return view
  const { followersCount: _followers, followsCount: _follows, postsCount: _posts, ...known } = view
  return known
}
