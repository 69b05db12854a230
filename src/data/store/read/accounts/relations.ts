// The relations between one account (the viewer) and others: follows, blocks and mutes, and blocks and mutes
// by list (lists-in-force.ts). Of several equivalent records the smallest record key counts, so that answers
// don't flicker.

import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import { blockEdges, followEdges } from '../../edges/all-edges.ts'
import { type Db, idList } from '../id-list.ts'
import { firstListInForce } from '../lists/lists-in-force.ts'

/** Record keys of the relations' records; ids of lists. */
export type RelationRow = [
  uid: number,
  following: PackedRkey | null,
  followedBy: PackedRkey | null,
  blocking: PackedRkey | null,
  blockedBy: PackedRkey | null,
  blockingByList: number | null,
  blockedByList: number | null,
  mutedByList: number | null,
  /** One more than the mute's scope (data/store/private/mutes.ts). */
  muted: number | null,
]

/** `column` holds the viewer in rows of that kind. */
const anyOf = (table: string, column: 'uid' | 'subject') =>
  `EXISTS (SELECT 1 FROM ${table} WHERE ${column} = :viewer)`

/** Most viewers use no lists, and many are on none: then no account is checked for lists. */
const HAS_LISTS = /* sql */ `
SELECT ${anyOf('list_blocks', 'uid')} OR ${anyOf('list_items', 'subject')}
  OR ${anyOf('list_mutes', 'uid')}`

/**
 * A viewer has rows in only one or two of the three tables: one check per statement saves a probe
 * per account.
 */
function ifAny(table: string, column: 'uid' | 'subject', then: string): string {
  return `CASE WHEN (SELECT ${anyOf(table, column)}) THEN ${then} END`
}

const LISTS = /* sql */ `
SELECT ids.value,
  ${ifAny('list_blocks', 'uid', firstListInForce('list_blocks', ':viewer', 'ids.value'))},
  ${ifAny('list_items', 'subject', firstListInForce('list_blocks', 'ids.value', ':viewer'))},
  ${ifAny('list_mutes', 'uid', firstListInForce('list_mutes', ':viewer', 'ids.value'))}
FROM json_each(:uids) ids`

const MUTES = /* sql */ `
SELECT m.subject, m.scope + 1 FROM json_each(:uids) ids
CROSS JOIN mutes m ON m.uid = :viewer AND m.subject = ids.value`

type ByList = [
  blockingByList: number | null,
  blockedByList: number | null,
  mutedByList: number | null,
]

const NO_LIST: ByList = [null, null, null]

/** One row for each of `uids`. */
export function prepareRelations(
  db: Db,
): (viewer: number, uids: Iterable<number>) => RelationRow[] {
  const readByList = prepareByList(db)
  const mutes = db.prepare<[{ viewer: number; uids: string }], [number, number]>(MUTES).raw()
  return (viewer, accounts) => {
    const distinct = new Set(accounts)
    const uids = [...distinct]
    const edges = readEdges(db, viewer, distinct)
    const byList = readByList(viewer, uids)
    const muted = new Map(
      mutes.all({ viewer, uids: idList(uids) }) as unknown as [number, number][],
    )
    return uids.map((uid) => {
      const [blockingByList, blockedByList, mutedByList] = byList.get(uid) ?? NO_LIST
      return [
        uid,
        edges.following.get(uid) ?? null,
        edges.followedBy.get(uid) ?? null,
        edges.blocking.get(uid) ?? null,
        edges.blockedBy.get(uid) ?? null,
        blockingByList,
        blockedByList,
        mutedByList,
        muted.get(uid) ?? null,
      ]
    })
  }
}

/** Lists in force between the viewer and these accounts; usually none. */
function prepareByList(db: Db): (viewer: number, uids: number[]) => Map<number, ByList> {
  const hasLists = db.prepare<[{ viewer: number }], number>(HAS_LISTS).pluck()
  type Row = [uid: number, ...ByList]
  const select = db.prepare<[{ viewer: number; uids: string }], Row>(LISTS).raw()
  return (viewer, uids) => {
    if (hasLists.get({ viewer }) !== 1) return new Map()
    const rows = select.all({ viewer, uids: idList(uids) }) as unknown as Row[]
    return new Map(rows.map(([uid, ...lists]) => [uid, lists]))
  }
}

/** Keys of records between the viewer and these accounts. */
function readEdges(db: Db, viewer: number, uids: ReadonlySet<number>) {
  const from = { creator: viewer, subjects: uids }
  const to = { creators: uids, subject: viewer }
  return {
    following: followEdges.keysAmong(db, from),
    followedBy: followEdges.keysTo(db, to),
    blocking: blockEdges.keysAmong(db, from),
    blockedBy: blockEdges.keysTo(db, to),
  }
}
