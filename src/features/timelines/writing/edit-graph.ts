// Writes the edits of programs to their graphs: added and removed follows, one request in one transaction.
//
// A load consists of many requests, each with some lines of the list. The number of applied lines is saved in
// the same transaction as their follows, so a client that lost its answer resumes there, and nothing is
// applied twice.

import type { WriteDb } from '../../../data/store/db.ts'
import {
  addGraphAccount,
  areGraphAccountsLinked,
  type CountChange,
  type CustomGraphRow,
  clearDroppedGraph,
  countCustomEdges,
  countCustomGraphs,
  createCustomGraph,
  dropCustomGraph,
  findCustomGraph,
  findGraphAccount,
  linkGraphAccounts,
  recountGraphAccount,
  saveCustomGraph,
  unlinkGraphAccounts,
} from '../store/programs/custom-graphs.ts'
import type { Follow, GraphEdit, GraphOutcome } from '../store/programs/graph-edits.ts'

type GraphLimits = { graphs: number; edges: number; allEdges: number }

const GRAPH_LIMITS: GraphLimits = { graphs: 1_000, edges: 10_000_000, allEdges: 20_000_000 }

/** Rows of a deleted graph removed at once. */
const CLEARED_AT_ONCE = 5_000

type Batch = {
  db: WriteDb
  row: CustomGraphRow
  accounts: Map<string, number>
  changes: Map<number, CountChange>
}

export function editGraph(
  db: WriteDb,
  edit: GraphEdit,
  { now, limits = GRAPH_LIMITS }: { now: number; limits?: GraphLimits },
): GraphOutcome {
  if (edit.kind === 'delete')
    return { ok: true, added: 0, removed: dropCustomGraph(db, edit.graph) ? 1 : 0 }
  const found = findCustomGraph(db, edit.graph)
  if (!found && edit.add.length === 0 && !edit.load) return { ok: true, added: 0, removed: 0 }
  const refusal = whyNot(db, { edit, found, limits })
  if (refusal) return refusal
  const row = found ?? createCustomGraph(db, edit.graph, now)
  const batch: Batch = { db, row, accounts: new Map(), changes: new Map() }
  const removed = edit.remove.filter(([creator, subject]) => unlink(batch, creator, subject)).length
  const added = edit.add.filter(([creator, subject]) => link(batch, creator, subject)).length
  for (const change of batch.changes.values()) recountGraphAccount(db, change)
  row.edges += added - removed
  if (edit.load) {
    row.load = edit.load.id
    row.load_lines = edit.load.from + edit.load.lines
  }
  saveCustomGraph(db, row)
  return { ok: true, added, removed }
}

/** Removes deleted graphs bit by bit. */
export function clearGraphs(db: WriteDb): void {
  clearDroppedGraph(db, CLEARED_AT_ONCE)
}

function whyNot(
  db: WriteDb,
  {
    edit,
    found,
    limits,
  }: {
    edit: GraphEdit & { kind: 'edit' }
    found: CustomGraphRow | undefined
    limits: GraphLimits
  },
): GraphOutcome | undefined {
  const { add, load } = edit
  const applied = load && found?.load === load.id ? found.load_lines : 0
  if (load && load.from !== applied) {
    return refused(
      409,
      'LoadElsewhere',
      `Load ${load.id} has ${applied} lines applied: continue with from=${applied}`,
    )
  }
  if (!found && countCustomGraphs(db) >= limits.graphs) {
    return refused(503, 'GraphsFull', `There are ${limits.graphs} graphs already`)
  }
  const capacity = limits.edges - (found?.edges ?? 0)
  const capacityInAll = add.length > 0 ? limits.allEdges - countCustomEdges(db) : 0
  if (add.length <= Math.min(capacity, capacityInAll)) return undefined
  // The edit may add follows that exist already.
  const growth = growthOf(db, edit, found)
  if (growth > 0 && growth > capacity) {
    return refused(503, 'GraphsFull', `A graph has at most ${limits.edges} follows`)
  }
  if (growth > 0 && growth > capacityInAll) {
    return refused(503, 'GraphsFull', `All graphs together have at most ${limits.allEdges} follows`)
  }
  return undefined
}

/** By how many follows the edit makes the graph larger. */
function growthOf(
  db: WriteDb,
  { add, remove }: { add: readonly Follow[]; remove: readonly Follow[] },
  found: CustomGraphRow | undefined,
): number {
  const idOf = (name: string) => (found ? findGraphAccount(db, found.id, name) : 0)
  const isThere = ([creator, subject]: Follow) =>
    areGraphAccountsLinked(db, idOf(creator), idOf(subject))
  const each = (pairs: readonly Follow[]) => [
    ...new Map(pairs.map((pair) => [JSON.stringify(pair), pair])),
  ]
  const removed = new Map(each(remove).filter(([, pair]) => isThere(pair)))
  const added = each(add).filter(([key, pair]) => removed.has(key) || !isThere(pair))
  return added.length - removed.size
}

function link(batch: Batch, creator: string, subject: string): boolean {
  const from = accountOf(batch, creator) || newAccount(batch, creator)
  const to = accountOf(batch, subject) || newAccount(batch, subject)
  if (!linkGraphAccounts(batch.db, from, to)) return false
  count(batch, { from, to, by: 1 })
  return true
}

function unlink(batch: Batch, creator: string, subject: string): boolean {
  const from = accountOf(batch, creator)
  const to = accountOf(batch, subject)
  if (from === 0 || to === 0 || !unlinkGraphAccounts(batch.db, from, to)) return false
  count(batch, { from, to, by: -1 })
  return true
}

function accountOf({ db, row, accounts }: Batch, name: string): number {
  const known = accounts.get(name)
  if (known !== undefined) return known
  const id = findGraphAccount(db, row.id, name)
  if (id > 0) accounts.set(name, id)
  return id
}

function newAccount({ db, row, accounts }: Batch, name: string): number {
  const id = addGraphAccount(db, row.id, name)
  accounts.set(name, id)
  return id
}

function count({ changes }: Batch, { from, to, by }: { from: number; to: number; by: number }) {
  const changeOf = (id: number) => {
    const change = changes.get(id) ?? { id, follows: 0, followers: 0 }
    changes.set(id, change)
    return change
  }
  changeOf(from).follows += by
  changeOf(to).followers += by
}

function refused(status: number, error: string, message: string) {
  return { ok: false, status, error, message } as const
}
