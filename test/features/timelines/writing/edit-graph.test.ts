// The limits on graphs kept by programs, and what remains of a deleted graph.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import type { Follow } from '../../../../src/features/timelines/store/programs/graph-edits.ts'
import { clearGraphs, editGraph } from '../../../../src/features/timelines/writing/edit-graph.ts'

const LIMITS = { graphs: 2, edges: 4, allEdges: 6 }
let db: WriteDb

beforeEach(() => {
  db = openWriter(mkdtempSync(join(tmpdir(), 'slipstream-graphs-')))
})
afterEach(() => void db.close())

function add(graph: string, count: number, prefix = 'x') {
  const pairs = Array.from({ length: count }, (_, i) => [`${prefix}${i}`, 'hub'] as const)
  const edit = { kind: 'edit', graph, add: pairs, remove: [] } as const
  const outcome = editGraph(db, edit, { now: 1, limits: LIMITS })
  return outcome.ok ? outcome.added : outcome.message
}

const rows = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()

test('graphs, their follows and all follows together are limited', () => {
  expect(add('a', 4)).toBe(4)
  expect(add('a', 1, 'y')).toBe('A graph has at most 4 follows')
  expect(add('b', 2)).toBe(2)
  expect(add('b', 1, 'y')).toBe('All graphs together have at most 6 follows')
  expect(add('c', 1)).toBe('There are 2 graphs already')
  expect([rows('custom_graph_edges'), rows('custom_graph_accounts')]).toEqual([6, 8])
})

test('a full graph accepts follows it already has, and new ones in exchange for others', () => {
  add('a', 4)
  const change = (pairs: Follow[], remove: Follow[] = []) =>
    editGraph(db, { kind: 'edit', graph: 'a', add: pairs, remove }, { now: 1, limits: LIMITS })
  const held: Follow[] = [
    ['x0', 'hub'],
    ['x1', 'hub'],
    ['x0', 'hub'],
  ]
  expect(change(held)).toEqual({ ok: true, added: 0, removed: 0 })
  expect(change([['y', 'hub']], [['x0', 'hub']])).toEqual({ ok: true, added: 1, removed: 1 })
  expect(change([['x0', 'hub']], [['x0', 'hub']])).toMatchObject({ error: 'GraphsFull' })
  expect(rows('custom_graph_edges')).toBe(4)
})

test('removes accounts without follows or followers, and everything of a deleted graph', () => {
  add('a', 3)
  const remove = [['x0', 'hub'] as const]
  editGraph(db, { kind: 'edit', graph: 'a', add: [], remove }, { now: 1 })
  expect(rows('custom_graph_accounts')).toBe(3)
  editGraph(db, { kind: 'delete', graph: 'a' }, { now: 1 })
  add('a', 1, 'new')
  clearGraphs(db)
  expect([
    rows('custom_graphs'),
    rows('custom_graph_edges'),
    rows('custom_graph_accounts'),
  ]).toEqual([1, 1, 2])
})
