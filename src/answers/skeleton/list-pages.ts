// Pages of lists (an account's own, and those a member mutes or blocks by) and of list members. An account's
// lists are few, so they are read whole and sorted as in the reference: by the list's own time, then its CID,
// both descending; the cursor is `<ms>__<cid>`. Members are many. Those with equal times are ordered by
// record key, since the CIDs of list items are not stored; the cursor is `<ms>__<rkey>`.

import { isValidRecordKey } from '@atproto/syntax'
import { type PackedRkey, packRkey, unpackCid, unpackRkey } from '../../base/atproto/keys.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { countListMutes } from '../../data/store/private/list-mutes.ts'
import { prepareListOptOuts } from '../../data/store/read/lists/list-opt-outs.ts'
import { type PositionedList, prepareListPages } from '../../data/store/read/lists/list-pages.ts'
import { prepareLists } from '../../data/store/read/lists/lists.ts'
import { preparePacks } from '../../data/store/read/lists/packs.ts'
import { cutRows, parseFeedCursor, parsePosition } from './page-cursor.ts'
import type { PageRange, SkeletonPage } from './skeleton-page.ts'

/** `purposes`: of these alone, by full name; all if omitted. */
type ListsRequest = PageRange & { actor: number; purposes?: readonly string[] }
/** `viewer` 0: no particular viewer. */
type MembersRequest = PageRange & { list: number; viewer: number }
/** Only the list's owner sees `isOptedOut`; other viewers do not see who opted out. */
export type ListMember = { subject: number; rkey: string; isOptedOut: boolean }

export type ListPages = {
  /** lists.id; 0 if no record has ever pointed at such a list. */
  idOf(did: string, rkey: string): number
  /** Pages of lists.id. Each @throws BadCursorError. */
  ofCreator(request: ListsRequest): SkeletonPage<number>
  mutedBy(request: ListsRequest): SkeletonPage<number>
  blockedBy(request: ListsRequest): SkeletonPage<number>
  members(request: MembersRequest): SkeletonPage<ListMember>
  /** Number of lists the member mutes by. */
  muteCount(uid: number): number
  /** Record keys of the account's items on these lists. */
  memberships(lists: readonly number[], subject: number): Map<number, string>
}

export function createListPages({ db, actors }: { db: Db; actors: ActorReader }): ListPages {
  const reader = prepareListPages(db)
  const lists = prepareLists(db)
  const packs = preparePacks(db)
  const optOuts = prepareListOptOuts(db, actors)
  const pageOf =
    (read: (uid: number) => PositionedList[]) =>
    ({ actor, purposes, limit, cursor }: ListsRequest): SkeletonPage<number> => {
      const found = read(actor)
      const wanted = purposes ? found.filter(({ purpose }) => purposes.includes(purpose)) : found
      return cutLists(wanted, limit, cursor)
    }
  return {
    idOf(did, rkey) {
      const uid = actors.uidOf(did)
      return uid === 0 ? 0 : lists.idOf(uid, packRkey(rkey))
    },
    ofCreator: pageOf(reader.ofCreator),
    mutedBy: pageOf(reader.mutedBy),
    blockedBy: pageOf(reader.blockedBy),
    members({ list, viewer, limit, cursor }) {
      const scope = optOuts.scopeOf(list)
      const isOwner = viewer !== 0 && viewer === scope?.owner
      const without = isOwner ? undefined : scope
      const below = parseMemberCursor(cursor)
      const found = reader.members(list, { below, limit: limit + 1, without })
      const page = found.slice(0, limit)
      const last = page.at(-1)
      const hasMore = found.length > limit && last !== undefined
      const subjects = page.map(({ subject }) => subject)
      const out = isOwner && scope ? optOuts.among(scope, subjects) : undefined
      return {
        items: page.map(({ subject, rkey }) => ({
          subject,
          rkey: unpackRkey(rkey),
          isOptedOut: out?.has(subject) ?? false,
        })),
        cursor: hasMore ? `${last.sortAt}__${unpackRkey(last.rkey)}` : undefined,
      }
    },
    muteCount: (uid) => countListMutes(db, uid),
    memberships: (ids, subject) =>
      new Map(packs.itemsOf(ids, subject).map(({ list, rkey }) => [list, unpackRkey(rkey)])),
  }
}

function cutLists(
  found: PositionedList[],
  limit: number,
  cursor: string | undefined,
): SkeletonPage<number> {
  const before = cursor === undefined ? undefined : parseFeedCursor(cursor)
  const positioned = found.map(({ id, sortAt, cid }) => ({ sortAt, cid: unpackCid(cid), tie: id }))
  const page = cutRows(positioned, { before, limit })
  return { items: page.rows.map(({ tie }) => tie), cursor: page.cursor }
}

function parseMemberCursor(
  cursor: string | undefined,
): { sortAt: number; rkey: PackedRkey } | undefined {
  if (cursor === undefined) return undefined
  const read = (rest: string) => (isValidRecordKey(rest) ? packRkey(rest) : undefined)
  const [sortAt, rkey] = parsePosition<PackedRkey>(cursor, { read, lowest: '' })
  return { sortAt, rkey }
}
