// The list of a starter pack, and which of its newest members have the most followers.

import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import { type Db, idList } from '../id-list.ts'
import { keyColumn, keyJson } from '../key-list.ts'

type ListKey = { uid: number; rkey: PackedRkey }

type MemberRow = { list: number; rkey: PackedRkey; subject: number }

type PackReader = {
  /** Lists with a record. */
  listsByKey(keys: readonly ListKey[]): ({ id: number } & ListKey)[]
  /** Lists with or without a record. */
  anyListsByKey(keys: readonly ListKey[]): ({ id: number } & ListKey)[]
  /** The newest members of each list, up to a number, most followers first. */
  membersOf(lists: Iterable<number>, newest: number): MemberRow[]
  /** The account's items on these lists. */
  itemsOf(lists: Iterable<number>, subject: number): MemberRow[]
}

const ANY_LISTS = /* sql */ `
SELECT l.id, l.uid, l.rkey FROM json_each(?) k
CROSS JOIN lists l ON l.uid = k.value ->> 0 AND l.rkey = ${keyColumn('k.value', 1)}`

const LISTS = `${ANY_LISTS} AND l.cid IS NOT NULL`

/** Items read for each member wanted: an account may be on a list twice. */
const ITEMS_A_MEMBER = 2

/** Reads the newest items alone, since lists may have any number, and any number of one moment. */
const MEMBERS = /* sql */ `
SELECT m.list, m.rkey, m.subject FROM (
  SELECT li.list, li.rkey, li.subject,
    row_number() OVER (PARTITION BY li.list ORDER BY li.sort_at DESC, li.rkey DESC) AS place
  FROM json_each(@lists) ids CROSS JOIN list_items li ON li.list = ids.value
    AND (li.sort_at, li.rkey) >= (
      SELECT sort_at, rkey FROM (
        SELECT sort_at, rkey FROM list_items WHERE list = ids.value
          ORDER BY sort_at DESC, rkey DESC LIMIT 1 OFFSET @newest * ${ITEMS_A_MEMBER} - 1)
      UNION ALL SELECT -9e18, NULL LIMIT 1)
  WHERE NOT EXISTS (SELECT 1 FROM list_items other
    WHERE other.list = li.list AND other.subject = li.subject AND other.rkey < li.rkey)
) m JOIN actors a ON a.uid = m.subject
WHERE m.place <= @newest
ORDER BY m.list, a.followers_count DESC, m.place`

const ITEMS = /* sql */ `
SELECT li.list, min(li.rkey) AS rkey, li.subject
FROM json_each(?) ids CROSS JOIN list_items li ON li.list = ids.value AND li.subject = ?
GROUP BY li.list`

export function preparePacks(db: Db): PackReader {
  const lists = db.prepare<[string], { id: number } & ListKey>(LISTS)
  const anyLists = db.prepare<[string], { id: number } & ListKey>(ANY_LISTS)
  const requested = (keys: readonly ListKey[]) =>
    JSON.stringify(keys.map(({ uid, rkey }) => [uid, ...keyJson(rkey)]))
  const members = db.prepare<[{ lists: string; newest: number }], MemberRow>(MEMBERS)
  const items = db.prepare<[string, number], MemberRow>(ITEMS)
  return {
    listsByKey: (keys) => lists.all(requested(keys)),
    anyListsByKey: (keys) => anyLists.all(requested(keys)),
    membersOf: (ids, newest) => members.all({ lists: idList(ids), newest }),
    itemsOf: (ids, subject) => items.all(idList(ids), subject),
  }
}
