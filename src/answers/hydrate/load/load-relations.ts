// Relations of the viewer to accounts: turns rows into one Relation for each account that has any.

import { recordUri } from '../../../base/atproto/at-uri.ts'
import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { ONLY_QUOTE_POSTS, ONLY_REPOSTS } from '../../../data/store/private/mutes.ts'
import type { RelationRow } from '../../../data/store/read/accounts/relations.ts'
import type { Relation } from '../types.ts'

const FOLLOW = 'app.bsky.graph.follow'
const BLOCK = 'app.bsky.graph.block'

export function toRelations(
  rows: RelationRow[],
  viewerDid: string,
  didOf: (uid: number) => string,
): Map<number, Relation> {
  const relations = new Map<number, Relation>()
  for (const row of rows) {
    if (isAny(row)) relations.set(row[0], toRelation(row, viewerDid, didOf))
  }
  return relations
}

function isAny(row: RelationRow): boolean {
  for (let i = 1; i < row.length; i++) if (row[i] !== null) return true
  return false
}

/** Leaves what anyone can see: follows and blocks, also by list. */
export function withoutMutes(row: RelationRow): RelationRow {
  const [uid, following, followedBy, blocking, blockedBy, blockingByList, blockedByList] = row
  const lists = [blockingByList, blockedByList] as const
  return [uid, following, followedBy, blocking, blockedBy, ...lists, null, null]
}

/** Of most accounts nothing needs their DID, which is put together each time. */
function toRelation(row: RelationRow, viewerDid: string, didOf: (uid: number) => string): Relation {
  const [uid, following, followedBy, blocking, blockedBy] = row
  const [, , , , , blockingByList, blockedByList, mutedByList, muted] = row
  const scope = muted === null ? 0 : muted - 1
  return {
    muted: muted !== null && scope === 0,
    mutedOnlyReposts: (scope & ONLY_REPOSTS) !== 0,
    mutedOnlyQuoteposts: (scope & ONLY_QUOTE_POSTS) !== 0,
    mutedByList: mutedByList ?? undefined,
    following: uriOf(viewerDid, FOLLOW, following),
    followedBy: followedBy === null ? undefined : recordUri(didOf(uid), FOLLOW, followedBy),
    blocking: uriOf(viewerDid, BLOCK, blocking),
    blockedBy: blockedBy === null ? undefined : recordUri(didOf(uid), BLOCK, blockedBy),
    blockingByList: blockingByList ?? undefined,
    blockedByList: blockedByList ?? undefined,
  }
}

function uriOf(did: string, collection: string, rkey: PackedRkey | null): string | undefined {
  return rkey === null ? undefined : recordUri(did, collection, rkey)
}
