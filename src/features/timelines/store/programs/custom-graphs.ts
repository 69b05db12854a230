// Graphs that programs write: rows as the writer sees them. Readers: read/timelines/custom-graphs.ts.
//
// An account exists for as long as it follows or is followed.

import type { Db, WriteDb } from '../../../../data/store/db.ts'
import { perDatabase } from '../../../../data/store/per-database.ts'

export type CustomGraphRow = {
  id: number
  name: string
  edges: number
  load: string | null
  load_lines: number
}

/** Changes to one account's two counts. */
export type CountChange = { id: number; follows: number; followers: number }

const COLUMNS = 'id, name, edges, load, load_lines'

const statements = perDatabase((db) => ({
  find: db.prepare<[string], CustomGraphRow>(`SELECT ${COLUMNS} FROM custom_graphs WHERE name = ?`),
  create: db.prepare<[string, number]>(
    'INSERT INTO custom_graphs (name, created_at) VALUES (?, ?)',
  ),
  count: db.prepare<[], number>('SELECT count(*) FROM custom_graphs').pluck(),
  allEdges: db.prepare<[], number>('SELECT coalesce(sum(edges), 0) FROM custom_graphs').pluck(),
  save: db.prepare<[CustomGraphRow]>(
    'UPDATE custom_graphs SET edges = @edges, load = @load, load_lines = @load_lines WHERE id = @id',
  ),
  drop: db.prepare<[string]>('UPDATE custom_graphs SET name = NULL WHERE name = ?'),
  account: db
    .prepare<[number, string], number>(
      'SELECT id FROM custom_graph_accounts WHERE graph = ? AND name = ?',
    )
    .pluck(),
  addAccount: db.prepare<[number, string]>(
    'INSERT INTO custom_graph_accounts (graph, name) VALUES (?, ?)',
  ),
  recount: db.prepare<[CountChange]>(
    `UPDATE custom_graph_accounts
      SET follows = follows + @follows, followers = followers + @followers WHERE id = @id`,
  ),
  forget: db.prepare<[number]>(
    'DELETE FROM custom_graph_accounts WHERE id = ? AND follows = 0 AND followers = 0',
  ),
  link: db.prepare<[number, number]>(
    'INSERT OR IGNORE INTO custom_graph_edges (creator, subject) VALUES (?, ?)',
  ),
  isLinked: db
    .prepare<[number, number], number>(
      'SELECT 1 FROM custom_graph_edges WHERE creator = ? AND subject = ?',
    )
    .pluck(),
  unlink: db.prepare<[number, number]>(
    'DELETE FROM custom_graph_edges WHERE creator = ? AND subject = ?',
  ),
  dropped: db
    .prepare<[], number>('SELECT id FROM custom_graphs WHERE name IS NULL LIMIT 1')
    .pluck(),
  nextAccount: db
    .prepare<[number], number>(
      'SELECT id FROM custom_graph_accounts WHERE graph = ? ORDER BY id LIMIT 1',
    )
    .pluck(),
  clear: db.prepare<[number, number]>(
    `DELETE FROM custom_graph_edges WHERE (creator, subject) IN
      (SELECT creator, subject FROM custom_graph_edges WHERE creator = ? LIMIT ?)`,
  ),
  removeAccount: db.prepare<[number]>('DELETE FROM custom_graph_accounts WHERE id = ?'),
  shrink: db.prepare<[number, number]>('UPDATE custom_graphs SET edges = edges - ? WHERE id = ?'),
  remove: db.prepare<[number]>('DELETE FROM custom_graphs WHERE id = ?'),
}))

export function findCustomGraph(db: Db, name: string): CustomGraphRow | undefined {
  return statements(db).find.get(name)
}

export function createCustomGraph(db: WriteDb, name: string, now: number): CustomGraphRow {
  const id = Number(statements(db).create.run(name, now).lastInsertRowid)
  return { id, name, edges: 0, load: null, load_lines: 0 }
}

/** Includes graphs that are being cleared. */
export function countCustomGraphs(db: Db): number {
  return statements(db).count.get() ?? 0
}

export function countCustomEdges(db: Db): number {
  return statements(db).allEdges.get() ?? 0
}

export function saveCustomGraph(db: WriteDb, row: CustomGraphRow): void {
  statements(db).save.run(row)
}

/**
 * Frees its name at once.
 * @returns whether the graph existed
 */
export function dropCustomGraph(db: WriteDb, name: string): boolean {
  return statements(db).drop.run(name).changes > 0
}

/** 0 if no account has this name. */
export function findGraphAccount(db: Db, graph: number, name: string): number {
  return statements(db).account.get(graph, name) ?? 0
}

export function addGraphAccount(db: WriteDb, graph: number, name: string): number {
  return Number(statements(db).addAccount.run(graph, name).lastInsertRowid)
}

/** Removes an account that neither follows nor is followed any more. */
export function recountGraphAccount(db: WriteDb, change: CountChange): void {
  const { recount, forget } = statements(db)
  recount.run(change)
  if (change.follows < 0 || change.followers < 0) forget.run(change.id)
}

export function areGraphAccountsLinked(db: Db, creator: number, subject: number): boolean {
  return statements(db).isLinked.get(creator, subject) !== undefined
}

/** @returns false if the follow existed already */
export function linkGraphAccounts(db: WriteDb, creator: number, subject: number): boolean {
  return statements(db).link.run(creator, subject).changes > 0
}

/** @returns false if there was no such follow */
export function unlinkGraphAccounts(db: WriteDb, creator: number, subject: number): boolean {
  return statements(db).unlink.run(creator, subject).changes > 0
}

export function hasDroppedGraph(db: Db): boolean {
  return statements(db).dropped.get() !== undefined
}

/**
 * Deletes up to `limit` rows of a deleted graph.
 * @returns how many were deleted; fewer than the limit at its end
 */
export function clearDroppedGraph(db: WriteDb, limit: number): number {
  const { dropped, nextAccount, clear, removeAccount, shrink, remove } = statements(db)
  const graph = dropped.get()
  if (graph === undefined) return 0
  let gone = 0
  while (gone < limit) {
    const account = nextAccount.get(graph)
    if (account === undefined) {
      remove.run(graph)
      return gone
    }
    const edges = clear.run(account, limit - gone).changes
    shrink.run(edges, graph)
    gone += edges
    if (gone === limit) return gone
    removeAccount.run(account)
    gone++
  }
  return gone
}
