// The state of moving a cluster to or from this engine, in one row: of two moves that start at once only one
// proceeds, an interrupted one can resume its own move, and no server reads or writes a cluster that is only
// half here.

import { type Engine, EngineUnavailableError } from './connect.ts'

export type ClusterMove = {
  /** Identifies the mover. */
  id: string
  state: 'arriving' | 'arrived' | 'leaving' | 'left'
  /**
   * Highest number of `following:` timelines before the move: their logs continue above it
   * (following-log.ts).
   */
  base: number
}

export type ClusterMoves = {
  /** undefined if the cluster was never moved. */
  read(): Promise<ClusterMove | undefined>
  /**
   * @returns whether the state was `before`. @throws EngineUnavailableError if the outcome is
   * unknown
   */
  replace(before: ClusterMove | undefined, after: ClusterMove): Promise<boolean>
  /** Whether nothing was ever shared here. */
  isEmpty(): Promise<boolean>
}

/** A row of the table `place`, whose columns have a different meaning for this row. */
const NAME = 'move'
/** The tables that have rows once anything is shared, each with its first column. */
const SHARED = [
  ['place_changes', 'place'],
  ['private_state', 'member'],
  ['timeline_heads', 'timeline'],
  ['following_heads', 'member'],
  ['leases', 'place'],
] as const

export function createClusterMoves(engine: Engine): ClusterMoves {
  const { keyspace } = engine
  const queries = {
    read: `SELECT id FROM ${keyspace}.place WHERE name = ?`,
    replace: `UPDATE ${keyspace}.place SET id = ? WHERE name = ? IF id = ?`,
  }
  return {
    async read() {
      const [row] = await engine.read(queries.read, [NAME], { serial: true })
      const text: string | null | undefined = row?.['id']
      return text ? (JSON.parse(text) as ClusterMove) : undefined
    },
    replace(before, after) {
      const values = [textOf(after), NAME, before ? textOf(before) : null]
      return engine.decide([{ query: queries.replace, values }])
    },
    async isEmpty() {
      for (const [table, column] of SHARED) {
        const rows = await engine.read(`SELECT ${column} FROM ${keyspace}.${table} LIMIT 1`)
        if (rows.length > 0) return false
      }
      return true
    },
  }
}

/** The condition compares this text, so the order of fields is fixed. */
function textOf({ id, state, base }: ClusterMove): string {
  return JSON.stringify({ id, state, base })
}

const WHY: Record<Exclude<ClusterMove['state'], 'arrived'>, string> = {
  arriving: 'a cluster is being moved to it: `slipstream move-to-engine` has to end first',
  leaving: 'its cluster is being moved away: `slipstream move-from-engine` has to end first',
  left: 'its cluster was moved away by `slipstream move-from-engine`; a new one takes a new keyspace',
}

/** @returns `ClusterMove.base`. @throws EngineUnavailableError if the cluster is not entirely here */
export async function checkedBase(moves: Pick<ClusterMoves, 'read'>): Promise<number> {
  const move = await moves.read()
  if (!move) return 0
  if (move.state !== 'arrived') throw new EngineUnavailableError(WHY[move.state])
  return move.base
}
