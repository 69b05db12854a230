// What our own index holds completely. Of members and the accounts they follow we keep everything from then on; of
// all others only what touches them, so their counts, feeds and lists would be a few rows of many here. An index of
// the whole network holds everything.

import type { Hydrator } from '../../../answers/hydrate/hydrator-types.ts'
import { asVisitor, type Reader } from '../../../answers/hydrate/reader.ts'
import type { ListPages } from '../../../answers/skeleton/list-pages.ts'
import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { type ActorReader, MEMBER } from '../../../data/graph/types.ts'
import type { PostsByUri } from '../../../data/store/read/posts/posts-by-uri.ts'

export type Scope = 'authors' | 'community' | 'network'

type Dependencies = {
  actors: Pick<ActorReader, 'uidOf' | 'flagsOf' | 'memberFollowersOf'>
  scope: Scope
}

/** Whether all records of this account are here; 0 is an unknown account. */
export function isStoredAccount({ actors, scope }: Dependencies, uid: number): boolean {
  if (scope === 'network') return true
  if (uid === 0) return false
  return (actors.flagsOf(uid) & MEMBER) !== 0 || actors.memberFollowersOf(uid) > 0
}

/** Whether a post is here with its thread and interactions. @param uri - its at-URI, with a DID */
export function isStoredPost(
  parts: Dependencies & { postsByUri: PostsByUri },
  uri: string,
): boolean {
  if (parts.scope === 'network') return true
  const row = parts.postsByUri([uri]).get(uri)
  // A post known to be deleted counts as known.
  if (row === undefined || row.is === 'stub') return false
  return isStoredAccount(parts, parts.actors.uidOf(parseRecordUri(uri)?.did ?? ''))
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
export function isStoredList(parts: Dependencies & { listPages: ListPages }, uri: string): boolean {
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
