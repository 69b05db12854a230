// Members' private state that is newer than the restored database: while a base is being sent, or is too large for
// the line, it leaves the machine alone. A member's state replaces what the database has of them.

import type { Db } from '../../../data/store/db.ts'
import { type IndexContext, internActor } from '../../../ingest/indexing/index-context.ts'
import { applyState } from '../../../ingest/indexing/member-state/write-state.ts'
import { forgetPrivateState } from '../../../ingest/indexing/members/private-state-removal.ts'
import { ModerationError } from '../../../ingest/indexing/moderation/moderation-error.ts'
import { FOLDERS } from '../copying/names.ts'
import type { Objects } from '../copying/objects.ts'
import { SealError } from '../sealing/seal.ts'
import type { PrivateMember, PrivateState } from './private-state.ts'
import { columnsOf, importRow, type Rows } from './private-tables.ts'

/**
 * @param after - milliseconds; what the database already has is left out
 * @returns oldest first; a damaged one is left out, with all before it that it would have completed
 */
export async function privateStatesAfter(
  objects: Objects,
  after: number,
  { until = Infinity, onUnfit }: { until?: number | undefined; onUnfit: (why: string) => void },
): Promise<PrivateState[]> {
  const names = (await objects.list(FOLDERS.private)).map(({ name }) => name).sort()
  const found: PrivateState[] = []
  for (const name of names.reverse()) {
    const state = await read(objects, name, onUnfit)
    if (!state || state.at > until) continue
    if (state.at <= after) break
    found.unshift(state)
    if (state.kind === 'full') break
  }
  return found
}

async function read(
  objects: Objects,
  name: string,
  onUnfit: (why: string) => void,
): Promise<PrivateState | undefined> {
  try {
    return await objects.getJson<PrivateState>(name)
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    onUnfit(error.message)
    return undefined
  }
}

/** Within the caller's transaction. */
export function applyPrivateState(ctx: IndexContext, state: PrivateState): void {
  const before = ctx.db.prepare('SELECT * FROM admissions').all() as Record<string, unknown>[]
  for (const did of state.gone) forgetPrivateState(ctx, internActor(ctx, did))
  for (const member of state.members) applyMember(ctx, member)
  // Applying a member's document admits the account, as an import does.
  ctx.db.exec('DELETE FROM admissions')
  for (const row of before) insert(ctx.db, 'admissions', row)
  for (const [table, rows] of Object.entries(state.operator)) {
    ctx.db.exec(`DELETE FROM ${known(ctx.db, table)}`)
    applyRows(ctx, table, rows)
  }
}

function applyMember(ctx: IndexContext, { did, state, tables }: PrivateMember): void {
  forgetPrivateState(ctx, internActor(ctx, did))
  try {
    applyState(ctx, state)
  } catch (error) {
    // Banned since: reads nothing here, and what was there goes.
    if (error instanceof ModerationError) return
    throw error
  }
  for (const [table, rows] of Object.entries(tables)) applyRows(ctx, table, rows)
}

function applyRows(ctx: IndexContext, table: string, rows: Rows): void {
  for (const row of rows.rows) {
    insert(
      ctx.db,
      known(ctx.db, table),
      importRow(rows, row, (did) => internActor(ctx, did)),
    )
  }
}

/** Columns that this version does not have are left out. */
function insert(db: IndexContext['db'], table: string, row: Record<string, unknown>): void {
  const columns = columnsOf(db, table).filter((name) => name in row)
  const marks = columns.map(() => '?').join(', ')
  db.prepare(`INSERT OR REPLACE INTO ${table} (${columns.join(', ')}) VALUES (${marks})`).run(
    ...columns.map((name) => row[name]),
  )
}

/** @throws Error if there is no such table */
function known(db: Db, table: string): string {
  const isThere = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
  if (isThere.get(table) === undefined) throw new Error(`there is no table ${table}`)
  return table
}
