// Which tables have what is nowhere else: members' private state as its document (docs/MEMBER-STATE.md), and as
// rows what features store of a member, and what the operator decided. Rows leave this database with accounts
// named by DID, since another database has other numbers for them.

import { features } from '../../../base/feature.ts'
import type { Db } from '../../../data/store/db.ts'

/** Tables of which a member's document is made. */
export const DOCUMENT_TABLES = [
  'members',
  'mutes',
  'list_mutes',
  'thread_mutes',
  'bookmarks',
  'activity_subscriptions',
  'drafts',
  'preferences',
  'notification_settings',
] as const

export const MEMBER_TABLES: readonly string[] = features.flatMap(
  ({ memberTables = [] }) => memberTables,
)

export const MEMBER_TABLES_BY_DID: readonly string[] = features.flatMap(
  ({ memberTablesByDid = [] }) => memberTablesByDid,
)

/** What the operator decided. Larger ones are left to the copy of the database. */
export const OPERATOR_TABLES = [
  'admissions',
  'bans',
  'takedowns',
  'moderation_tags',
  'moderation_log',
  'invites',
  'service_tokens',
  'signing_keys',
] as const

export const MOST_OPERATOR_ROWS = 50_000

/** Columns with an account's number, in these tables. */
const ACCOUNT_COLUMNS = new Set(['uid', 'author'])

/** When a member was last seen changes with each request, and says nothing that is missed. */
const UNWATCHED = new Set(['last_seen_at'])

type Value = string | number | null | { base64: string }

/** Rows of one table: values in the order of `columns`. */
export type Rows = { columns: string[]; rows: Value[][] }

export function columnsOf(db: Db, table: string): string[] {
  const columns = db.pragma(`table_info(${table})`) as { name: string }[]
  return columns.map(({ name }) => name)
}

export function watchedColumns(db: Db, table: string): string[] {
  return columnsOf(db, table).filter((name) => !UNWATCHED.has(name))
}

function isAccount(column: string): boolean {
  return ACCOUNT_COLUMNS.has(column)
}

/** @param didOf - of an account's number */
export function exportRows(
  columns: string[],
  rows: readonly Record<string, unknown>[],
  didOf: (uid: number) => string,
): Rows {
  const value = (column: string, found: unknown): Value => {
    if (isAccount(column) && typeof found === 'number' && found > 0) return didOf(found)
    return Buffer.isBuffer(found) ? { base64: found.toString('base64') } : (found as Value)
  }
  return { columns, rows: rows.map((row) => columns.map((column) => value(column, row[column]))) }
}

/** @param uidOf - of a DID; numbers the account if it is new */
export function importRow(
  { columns }: Rows,
  row: readonly Value[],
  uidOf: (did: string) => number,
): Record<string, unknown> {
  const value = (column: string, given: Value): unknown => {
    if (isAccount(column) && typeof given === 'string') return uidOf(given)
    const isBytes = given !== null && typeof given === 'object'
    return isBytes ? Buffer.from(given.base64, 'base64') : given
  }
  return Object.fromEntries(columns.map((column, i) => [column, value(column, row[i] ?? null)]))
}
