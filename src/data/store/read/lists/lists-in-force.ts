// The lists by which one account blocks or mutes another, as SQL. A list counts only while it has a record, is
// a moderation list, and its creator is not hidden, as in the reference. Usually the owner subscribes to few
// lists, and their members are probed, since a well-known account is on a great many. An owner who subscribes to
// thousands must not make others' pages slow, so then the other account's lists are probed instead; and if that
// account is on very many as well, only some of the owner's lists count.

import { isHiddenStatus } from '../../records/status.ts'

type Table = 'list_blocks' | 'list_mutes'

const FEW = 64
const MANY = 1_000
const STATUS_CODES = 16
const hiddenCodes = Array.from({ length: STATUS_CODES }, (_, code) => code).filter(isHiddenStatus)

/**
 * An expression: the lowest id of these lists, or NULL; `owner` and `subject` are SQL expressions.
 */
export function firstListInForce(table: Table, owner: string, subject: string): string {
  const { hasMany, isOnMany, ofFew, ofSubject, ofSome } = statements(table, owner, subject)
  const first = (select: string) => `(${select} ORDER BY li.list LIMIT 1)`
  // They come by their ids: to sort them would be to find all of a thousand.
  const firstOfSome = `(${ofSome} LIMIT 1)`
  return /* sql */ `CASE WHEN ${hasMany}
  THEN CASE WHEN ${isOnMany} THEN ${firstOfSome} ELSE ${first(ofSubject)} END
  ELSE ${first(ofFew)} END`
}

/** A statement that selects their ids, in any order. */
export function listsInForce(table: Table, owner: string, subject: string): string {
  const { hasMany, isOnMany, ofFew, ofSubject, ofSome } = statements(table, owner, subject)
  return /* sql */ `
SELECT list FROM (SELECT 1 WHERE NOT ${hasMany}) CROSS JOIN (${ofFew})
UNION ALL
SELECT list FROM (SELECT 1 WHERE ${hasMany} AND NOT ${isOnMany}) CROSS JOIN (${ofSubject})
UNION ALL
SELECT list FROM (SELECT 1 WHERE ${hasMany} AND ${isOnMany}) CROSS JOIN (${ofSome})`
}

function statements(table: Table, owner: string, subject: string) {
  const isOnList = `li.list = own.list AND li.subject = ${subject}`
  const some = `(SELECT list FROM ${table} WHERE uid = ${owner} ORDER BY list LIMIT ${MANY}) own`
  return {
    hasMany: hasMoreThan(FEW, table, `uid = ${owner}`),
    isOnMany: hasMoreThan(MANY, 'list_items', `subject = ${subject}`),
    ofFew: `SELECT li.list FROM ${table} own CROSS JOIN list_items li ON ${isOnList} ${IN_FORCE}
      WHERE own.uid = ${owner}`,
    ofSubject: `SELECT li.list FROM list_items li
      CROSS JOIN ${table} own ON own.uid = ${owner} AND own.list = li.list ${IN_FORCE}
      WHERE li.subject = ${subject}`,
    ofSome: `SELECT li.list FROM ${some} CROSS JOIN list_items li ON ${isOnList} ${IN_FORCE}`,
  }
}

const IN_FORCE = /* sql */ `
CROSS JOIN lists l ON l.id = li.list AND l.cid IS NOT NULL
  AND l.purpose = 'app.bsky.graph.defs#modlist'
CROSS JOIN actors c ON c.uid = l.uid AND c.status NOT IN (${hiddenCodes.join(',')})`

function hasMoreThan(count: number, table: string, condition: string): string {
  return `EXISTS (SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1 OFFSET ${count})`
}
