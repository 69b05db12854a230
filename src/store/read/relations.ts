// What stands between one account (the viewer) and others: follows, blocks and mutes, and blocks
// by list. A list blocks only while its record is held, it is a moderation list, and its creator
// is not hidden, as in the reference. From the blocker's few list blocks the list's members are
// probed, never the other way round: a well-known account is on a great many lists.
//
// Of several records that say the same the smallest record key counts, so that answers don't
// flicker; the indexes end with the record key, so this is the first one found.

import { isHiddenStatus } from '../status.ts'
import { type Db, idList } from './id-list.ts'
import { rkeyText } from './rkey-text.ts'

/** Record keys of the records that say so, as text (rkey-text.ts); ids of lists. */
export type RelationRow = [
  uid: number,
  following: string | null,
  followedBy: string | null,
  blocking: string | null,
  blockedBy: string | null,
  blockingByList: number | null,
  blockedByList: number | null,
  muted: 0 | 1 | null,
]

const STATUS_CODES = 16
const hiddenCodes = Array.from({ length: STATUS_CODES }, (_, code) => code).filter(isHiddenStatus)

/** The lists in force by which `blocker` blocks `blocked`; both are SQL expressions. */
export function blockingLists(blocker: string, blocked: string): string {
  return /* sql */ `
SELECT lb.list FROM list_blocks lb
CROSS JOIN list_items li ON li.list = lb.list AND li.subject = ${blocked}
CROSS JOIN lists l ON l.id = li.list AND l.cid IS NOT NULL
  AND l.purpose = 'app.bsky.graph.defs#modlist'
CROSS JOIN actors c ON c.uid = l.uid AND c.status NOT IN (${hiddenCodes.join(',')})
WHERE lb.uid = ${blocker}`
}

function firstRkey(table: string, creator: string, subject: string): string {
  return /* sql */ `(SELECT ${rkeyText('rkey')} FROM ${table}
  WHERE uid = ${creator} AND subject = ${subject} ORDER BY rkey LIMIT 1)`
}

/**
 * Most viewers block and mute nobody, are blocked by nobody and on no list: asked once a statement,
 * which spares a probe an account. `column` is the viewer's in rows of that kind.
 */
function ifAny(table: string, column: 'uid' | 'subject', then: string): string {
  return /* sql */ `CASE WHEN (SELECT EXISTS (SELECT 1 FROM ${table} WHERE ${column} = :viewer))
  THEN ${then} END`
}

const FIRST_LIST = 'ORDER BY lb.list LIMIT 1'
const SQL = /* sql */ `
SELECT ids.value,
  ${firstRkey('follows', ':viewer', 'ids.value')},
  ${ifAny('follows', 'subject', firstRkey('follows', 'ids.value', ':viewer'))},
  ${ifAny('blocks', 'uid', firstRkey('blocks', ':viewer', 'ids.value'))},
  ${ifAny('blocks', 'subject', firstRkey('blocks', 'ids.value', ':viewer'))},
  ${ifAny('list_blocks', 'uid', `(${blockingLists(':viewer', 'ids.value')} ${FIRST_LIST})`)},
  ${ifAny('list_items', 'subject', `(${blockingLists('ids.value', ':viewer')} ${FIRST_LIST})`)},
  ${ifAny('mutes', 'uid', 'EXISTS (SELECT 1 FROM mutes m WHERE m.uid = :viewer AND m.subject = ids.value)')}
FROM json_each(:uids) ids`

/** One row for each of `uids`. */
export function prepareRelations(
  db: Db,
): (viewer: number, uids: Iterable<number>) => RelationRow[] {
  const select = db.prepare<[{ viewer: number; uids: string }], RelationRow>(SQL).raw()
  return (viewer, uids) => select.all({ viewer, uids: idList(uids) }) as unknown as RelationRow[]
}
