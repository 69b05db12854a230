// Reads the facts that sources/appview/coverage.ts decides by from our index.

import type { Hydrator } from '../../../answers/hydrate/hydrator-types.ts'
import { asVisitor, type Reader } from '../../../answers/hydrate/reader.ts'
import type { ListPages } from '../../../answers/skeleton/list-pages.ts'
import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { type ActorReader, MEMBER } from '../../../data/graph/types.ts'
import type { PostsByUri } from '../../../data/store/read/posts/posts-by-uri.ts'
import {
  type AccountFacts,
  holdsAccount,
  holdsPost,
  type Scope,
} from '../../../sources/appview/coverage.ts'

type Parts = { actors: Pick<ActorReader, 'uidOf' | 'flagsOf' | 'memberFollowersOf'>; scope: Scope }

function factsOf({ actors }: Parts, uid: number): AccountFacts | undefined {
  if (uid === 0) return undefined
  return {
    isMember: (actors.flagsOf(uid) & MEMBER) !== 0,
    memberFollowers: actors.memberFollowersOf(uid),
  }
}

export function isStoredAccount(parts: Parts, uid: number): boolean {
  return holdsAccount(parts.scope, factsOf(parts, uid))
}

/** @param uri - a post's at-URI, with a DID */
export function isStoredPost(parts: Parts & { postsByUri: PostsByUri }, uri: string): boolean {
  const uid = parts.actors.uidOf(parseRecordUri(uri)?.did ?? '')
  const row = parts.postsByUri([uri]).get(uri)
  // A post known to be deleted counts as known.
  const isPresent = row !== undefined && row.is !== 'stub'
  return holdsPost(parts.scope, { isPresent, author: factsOf(parts, uid) })
}

/** Deactivated, deleted or taken down: nothing of the account is shown, whatever its source. */
export function isAway({ hydrator }: { hydrator: Hydrator }, uid: number, reader: Reader): boolean {
  if (uid === 0) return false
  return hydrator.profiles([uid], asVisitor(reader)).actors.get(uid)?.hiddenAs !== undefined
}

const LISTED_AT_ONCE = 100
/** Longer lists count as not held: checking every member would cost more than asking elsewhere. */
const MAX_LISTED = 1_000

/** A list's feed is complete if we hold all of the list's members. */
export function isStoredList(parts: Parts & { listPages: ListPages }, uri: string): boolean {
  if (parts.scope === 'network') return true
  const key = parseRecordUri(uri)
  const list = key ? parts.listPages.idOf(key.did, key.rkey) : 0
  if (list === 0) return false
  let cursor: string | undefined
  for (let checked = 0; checked < MAX_LISTED; checked += LISTED_AT_ONCE) {
    const page = parts.listPages.members({ list, viewer: 0, limit: LISTED_AT_ONCE, cursor })
    if (!page.items.every(({ subject }) => isStoredAccount(parts, subject))) return false
    if (page.cursor === undefined) return true
    cursor = page.cursor
  }
  return false
}
