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
    const [uid] = row
    if (row.some((value, i) => i > 0 && value)) {
      relations.set(uid, toRelation(row, viewerDid, didOf(uid)))
    }
  }
  return relations
}

/** Leaves what anyone can see: follows and blocks, also by list. */
export function withoutMutes(row: RelationRow): RelationRow {
  const [uid, following, followedBy, blocking, blockedBy, blockingByList, blockedByList] = row
  const lists = [blockingByList, blockedByList] as const
  return [uid, following, followedBy, blocking, blockedBy, ...lists, null, null]
}

function toRelation(row: RelationRow, viewerDid: string, did: string): Relation {
  const [, following, followedBy, blocking, blockedBy, ...rest] = row
  const [blockingByList, blockedByList, mutedByList, muted] = rest
  const scope = muted === null ? 0 : muted - 1
  return {
    muted: muted !== null && scope === 0,
    mutedOnlyReposts: (scope & ONLY_REPOSTS) !== 0,
    mutedOnlyQuoteposts: (scope & ONLY_QUOTE_POSTS) !== 0,
    mutedByList: mutedByList ?? undefined,
    following: uriOf(viewerDid, FOLLOW, following),
    followedBy: uriOf(did, FOLLOW, followedBy),
    blocking: uriOf(viewerDid, BLOCK, blocking),
    blockedBy: uriOf(did, BLOCK, blockedBy),
    blockingByList: blockingByList ?? undefined,
    blockedByList: blockedByList ?? undefined,
  }
}

function uriOf(did: string, collection: string, rkey: PackedRkey | null): string | undefined {
  return rkey === null ? undefined : recordUri(did, collection, rkey)
}
