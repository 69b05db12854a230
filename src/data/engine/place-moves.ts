// What became of moving a place to this engine, or away from it: one row, so that of two who begin at once one does, who
// was interrupted goes on with their own, and no server reads or writes a place that is half here.

import { type Engine, EngineUnavailableError } from './connect.ts'

export type PlaceMove = {
  /** Of whoever moves it. */
  id: string
  state: 'arriving' | 'arrived' | 'leaving' | 'left'
  /** Numbers that `following:` timelines had before they came here: their logs go on above (following-log.ts). */
  base: number
}

export type PlaceMoves = {
  /** undefined where the place was always here. */
  read(): Promise<PlaceMove | undefined>
  /** @returns whether it was `before`. @throws EngineUnavailableError: that is open */
  replace(before: PlaceMove | undefined, after: PlaceMove): Promise<boolean>
  /** Whether nobody ever shared anything here. */
  isEmpty(): Promise<boolean>
}

/** A row of the table `place`, whose columns say something else of the others. */
const NAME = 'move'
/** What anything that is shared begins with, and the first column of each. */
const SHARED = [
  ['place_changes', 'place'],
  ['private_state', 'member'],
  ['timeline_heads', 'timeline'],
  ['following_heads', 'member'],
  ['leases', 'place'],
] as const

export function createPlaceMoves(engine: Engine): PlaceMoves {
  const { keyspace } = engine
  const queries = {
    read: `SELECT id FROM ${keyspace}.place WHERE name = ?`,
    replace: `UPDATE ${keyspace}.place SET id = ? WHERE name = ? IF id = ?`,
  }
  return {
    async read() {
      const [row] = await engine.read(queries.read, [NAME], { serial: true })
      const text: string | null | undefined = row?.['id']
      return text ? (JSON.parse(text) as PlaceMove) : undefined
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

/** Compared as it is written. */
function textOf({ id, state, base }: PlaceMove): string {
  return JSON.stringify({ id, state, base })
}

const WHY: Record<Exclude<PlaceMove['state'], 'arrived'>, string> = {
  arriving: 'a place is being moved to it: `slipstream move-to-engine` has to end first',
  leaving: 'its place is being moved away: `slipstream move-from-engine` has to end first',
  left: 'its place was moved away by `slipstream move-from-engine`; a new one takes a new keyspace',
}

/** @returns `PlaceMove.base`. @throws EngineUnavailableError where the place is not here as a whole */
export async function checkedBase(moves: Pick<PlaceMoves, 'read'>): Promise<number> {
  const move = await moves.read()
  if (!move) return 0
  if (move.state !== 'arrived') throw new EngineUnavailableError(WHY[move.state])
  return move.base
}
