// Finds whose private state changed since the last look, by a digest of each member's rows, and writes that down:
// these members' whole state, and each changed table of the operator's. All tables are read through every time,
// which takes about a microsecond a row.

import { createHash } from 'node:crypto'
import type { Db } from '../../../data/store/db.ts'
import { schemaVersion } from '../../../data/store/migrate.ts'
import { atOneMoment } from '../../../data/store/transact.ts'
import type { MemberState } from '../../../ingest/indexing/member-state/document.ts'
import { readStateOf } from '../../../ingest/indexing/member-state/read-state.ts'
import {
  columnsOf,
  DOCUMENT_TABLES,
  exportRows,
  MEMBER_TABLES,
  MEMBER_TABLES_BY_DID,
  MOST_OPERATOR_ROWS,
  OPERATOR_TABLES,
  type Rows,
  watchedColumns,
} from './private-tables.ts'

export type PrivateMember = { did: string; state: MemberState; tables: Record<string, Rows> }

/** The content of a private object: `full` has every member. */
export type PrivateState = {
  kind: 'full' | 'part'
  /** When it was read; our clock, milliseconds. */
  at: number
  schema: number
  members: PrivateMember[]
  /** DIDs of those whose membership ended. */
  gone: string[]
  operator: Record<string, Rows>
}

export type PrivateWatch = {
  /** @returns undefined if nothing changed since the last `settle` */
  look(kind: 'full' | 'part', at: number): PrivateState | undefined
  /** What the last `look` found is stored. */
  settle(): void
}

type Digests = { members: Map<number, string>; operator: Map<string, string> }

export function watchPrivateState(db: Db): PrivateWatch {
  let settled: Digests = { members: new Map(), operator: new Map() }
  let found = settled
  const dids = new Map<number, string>()
  const didOf = (uid: number) => dids.get(uid) ?? remember(uid)
  const find = db.prepare<[number], string>('SELECT did FROM actors WHERE uid = ?').pluck()

  function remember(uid: number): string {
    const did = find.get(uid)!
    dids.set(uid, did)
    return did
  }

  function look(kind: 'full' | 'part', at: number): PrivateState | undefined {
    found = { members: memberDigests(db), operator: operatorDigests(db) }
    const before = kind === 'full' ? { members: new Map(), operator: new Map() } : settled
    const members = changedKeys(before.members, found.members)
    const tables = changedKeys(before.operator, found.operator)
    const gone = [...before.members.keys()].filter((uid) => !found.members.has(uid)).map(didOf)
    if (kind === 'part' && members.length + tables.length + gone.length === 0) return undefined
    return {
      kind,
      at,
      schema: schemaVersion,
      members: members.map((uid) => readMember(db, uid, didOf)),
      gone,
      operator: Object.fromEntries(
        tables.map((table) => [table, rowsOf(db, { table, where: '', params: [] }, didOf)]),
      ),
    }
  }

  return {
    look: atOneMoment(db, look),
    settle() {
      settled = found
    },
  }
}

function readMember(db: Db, uid: number, didOf: (uid: number) => string): PrivateMember {
  const did = didOf(uid)
  const byUid = MEMBER_TABLES.map((table) => ({ table, where: 'WHERE uid = ?', params: [uid] }))
  const byDid = MEMBER_TABLES_BY_DID.map((table) => ({
    table,
    where: 'WHERE did = ?',
    params: [did],
  }))
  const tables = [...byUid, ...byDid].map((item) => [item.table, rowsOf(db, item, didOf)] as const)
  return {
    did,
    state: readStateOf(db, { did, uid }),
    tables: Object.fromEntries(tables.filter(([, { rows }]) => rows.length > 0)),
  }
}

type Selection = { table: string; where: string; params: (string | number)[] }

function rowsOf(db: Db, { table, where, params }: Selection, didOf: (uid: number) => string): Rows {
  const rows = db.prepare(`SELECT * FROM ${table} ${where}`).all(...params)
  return exportRows(columnsOf(db, table), rows as Record<string, unknown>[], didOf)
}

function memberDigests(db: Db): Map<number, string> {
  const uids = db.prepare<[], number>('SELECT uid FROM members').pluck().all()
  const digests = new Map(uids.map((uid) => [uid, '']))
  for (const table of [...DOCUMENT_TABLES, ...MEMBER_TABLES]) {
    for (const [uid, digest] of digestByUid(db, table)) {
      const before = digests.get(uid)
      if (before !== undefined) digests.set(uid, before + digest)
    }
  }
  return digests
}

/** Rows come in the order of the primary key, which begins with the number. */
function* digestByUid(db: Db, table: string): Generator<[uid: number, digest: string]> {
  const columns = watchedColumns(db, table)
  const at = columns.indexOf('uid')
  const rows = db
    .prepare<[], unknown[]>(`SELECT ${columns.join(', ')} FROM ${table} ORDER BY uid`)
    .raw()
  let current: number | undefined
  let hash = createHash('sha1')
  for (const row of rows.iterate()) {
    const uid = row[at] as number
    if (current !== undefined && uid !== current) {
      yield [current, `${table} ${hash.digest('base64')} `]
      hash = createHash('sha1')
    }
    current = uid
    hash.update(JSON.stringify(row))
  }
  if (current !== undefined) yield [current, `${table} ${hash.digest('base64')} `]
}

function operatorDigests(db: Db): Map<string, string> {
  const digests = new Map<string, string>()
  for (const table of OPERATOR_TABLES) {
    const count = db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()!
    if (count > MOST_OPERATOR_ROWS) continue
    const hash = createHash('sha1')
    const rows = db.prepare<[], unknown[]>(`SELECT * FROM ${table}`).raw()
    for (const row of rows.iterate()) hash.update(JSON.stringify(row))
    digests.set(table, hash.digest('base64'))
  }
  return digests
}

function changedKeys<Key>(before: ReadonlyMap<Key, string>, now: ReadonlyMap<Key, string>): Key[] {
  return [...now].filter(([key, digest]) => before.get(key) !== digest).map(([key]) => key)
}
