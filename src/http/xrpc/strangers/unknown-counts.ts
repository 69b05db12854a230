// Most of a stranger's posts, follows and followers are not stored here, so counting the stored ones would
// read like a fact (“0 posts”). The lexicon makes counts optional, so unknown counts are left out.

import type { AppBskyActorDefs } from '@atproto/api'
import type { Needs } from '../define.ts'
import { isStoredAccount } from './holdings.ts'

type Detailed = Omit<AppBskyActorDefs.ProfileViewDetailed, '$type'>

/** The view of an account without the counts that our index can't know. */
export function withoutUnknownCounts(parts: Needs<'actors' | 'scope'>, view: Detailed): Detailed {
  if (isStoredAccount(parts, parts.actors.uidOf(view.did))) return view
  const { followersCount: _followers, followsCount: _follows, postsCount: _posts, ...known } = view
  return known
}
