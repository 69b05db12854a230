import type { Db } from '../../../../data/store/db.ts'

export type CustomGraphs = ReturnType<typeof prepareCustomGraphs>

type Counts = { follows: number; followers: number }

export function prepareCustomGraphs(db: Db) {
  const name = db
    .prepare<[number], string>('SELECT name FROM custom_graph_accounts WHERE id = ?')
    .pluck()
  const counts = db.prepare<[number], Counts>(
    'SELECT follows, followers FROM custom_graph_accounts WHERE id = ?',
  )
  const lists = {
    follows: db
      .prepare<[number, number, number], number>(
        `SELECT subject FROM custom_graph_edges WHERE creator = ? AND subject > ?
          ORDER BY subject LIMIT ?`,
      )
      .pluck(),
    followers: db
      .prepare<[number, number, number], number>(
        `SELECT creator FROM custom_graph_edges WHERE subject = ? AND creator > ?
          ORDER BY creator LIMIT ?`,
      )
      .pluck(),
  }
  const has = db
    .prepare<[number, number], number>(
      'SELECT 1 FROM custom_graph_edges WHERE creator = ? AND subject = ?',
    )
    .pluck()
  const accounts = db
    .prepare<[number, number, number], number>(
      'SELECT id FROM custom_graph_accounts WHERE graph = ? AND id > ? ORDER BY id LIMIT ?',
    )
    .pluck()
  return {
    nameOf: (id: number): string | undefined => name.get(id),
    countsOf: (id: number): Counts => counts.get(id) ?? { follows: 0, followers: 0 },
    list: (of: 'follows' | 'followers', id: number, after: number, limit: number): number[] =>
      lists[of].all(id, after, limit),
    has: (creator: number, subject: number): boolean => has.get(creator, subject) !== undefined,
    accounts: (graph: number, after: number, limit: number): number[] =>
      accounts.all(graph, after, limit),
  }
}
