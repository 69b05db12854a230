// Lists and their members, in display order.

import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import { type Db, idList } from '../id-list.ts'
import { type OptOutScope, optedOut } from './list-opt-outs.ts'

/** `sortAt` in milliseconds. */
export type PositionedList = { id: number; sortAt: number; cid: Buffer; purpose: string }

/** Of several items for one account, the first by record key. */
type PositionedMember = { subject: number; rkey: PackedRkey; sortAt: number }

type MemberPosition = { sortAt: number; rkey: PackedRkey }
type MemberPage = {
  below: MemberPosition | undefined
  limit: number
  without: OptOutScope | undefined
}

type ListPageReader = {
  /** Only lists with a record, here and below; the newest if there are too many. */
  ofCreator(uid: number): PositionedList[]
  mutedBy(uid: number): PositionedList[]
  blockedBy(uid: number): PositionedList[]
  /**
   * Newest first, below a place.
   * @param without - leaves out the accounts that opted out of it
   */
  members(list: number, page: MemberPage): PositionedMember[]
  /** Distinct uids, in arbitrary order. */
  allMembers(list: number, limit: number): number[]
  /** The next distinct uids above one, ascending. */
  someMembers(list: number, range: { above: number; limit: number }): number[]
  /** Those of some lists that an account is on; either may be many. */
  listsAmong(uid: number, lists: readonly number[]): number[]
}

/** No client pages through more, and they are sorted again for each page. */
const MAX_LISTS = 10_000

const COLUMNS = 'l.id, l.sort_at AS sortAt, l.cid, l.purpose'

function subscribed(table: 'list_mutes' | 'list_blocks'): string {
  return /* sql */ `
SELECT DISTINCT ${COLUMNS} FROM ${table} s CROSS JOIN lists l ON l.id = s.list AND l.cid IS NOT NULL
WHERE s.uid = ? LIMIT ${MAX_LISTS}`
}

function members(condition: string): string {
  return /* sql */ `
SELECT li.subject, li.rkey, li.sort_at AS sortAt FROM list_items li
WHERE li.list = +@list ${condition}
  AND (+@owner = 0 OR NOT ${optedOut('li.subject')})
  AND NOT EXISTS (SELECT 1 FROM list_items other
    WHERE other.list = li.list AND other.subject = li.subject AND other.rkey < li.rkey)
ORDER BY li.sort_at DESC, li.rkey DESC LIMIT +@limit`
}

export function prepareListPages(db: Db): ListPageReader {
  const ofCreator = db.prepare<[number], PositionedList>(
    `SELECT ${COLUMNS} FROM lists l WHERE l.uid = ? AND l.cid IS NOT NULL
      ORDER BY l.sort_at DESC LIMIT ${MAX_LISTS}`,
  )
  const muted = db.prepare<[number], PositionedList>(subscribed('list_mutes'))
  const blocked = db.prepare<[number], PositionedList>(subscribed('list_blocks'))
  type Page = { list: number; limit: number } & OptOutScope
  const top = db.prepare<[Page], PositionedMember>(members(''))
  const further = db.prepare<[Page & MemberPosition], PositionedMember>(
    members('AND (li.sort_at, li.rkey) < (+@sortAt, +@rkey)'),
  )
  const all = db
    .prepare<[number, number], number>(
      'SELECT DISTINCT subject FROM list_items WHERE list = +? LIMIT +?',
    )
    .pluck()
  const some = db
    .prepare<[number, number, number], number>(
      'SELECT DISTINCT subject FROM list_items WHERE list = +? AND subject > +? ORDER BY subject LIMIT +?',
    )
    .pluck()
  const withAccount = db
    .prepare<[number, number], number>(
      'SELECT DISTINCT list FROM list_items WHERE subject = ? LIMIT +?',
    )
    .pluck()
  const amongThese = db
    .prepare<[string, number], number>(
      `SELECT ids.value FROM json_each(?) ids WHERE EXISTS
        (SELECT 1 FROM list_items WHERE subject = ? AND list = ids.value)`,
    )
    .pluck()
  return {
    ofCreator: (uid) => ofCreator.all(uid),
    mutedBy: (uid) => muted.all(uid),
    blockedBy: (uid) => blocked.all(uid),
    members(list, { below, limit, without = { owner: 0, uri: '' } }) {
      const page = { list, limit, ...without }
      return below ? further.all({ ...page, ...below }) : top.all(page)
    },
    allMembers: (list, limit) => all.all(list, limit),
    someMembers: (list, { above, limit }) => some.all(list, above, limit),
    listsAmong(uid, lists) {
      const some = withAccount.all(uid, lists.length + 1)
      if (some.length > lists.length) return amongThese.all(idList(lists), uid)
      const known = new Set(some)
      return lists.filter((list) => known.has(list))
    },
  }
}
