// Edges of a deleted account, some at a time. They are packed: to find one by its key takes a look through all of the
// account's, so they are taken in order.

import type { Edge } from '../../data/store/edges/edge.ts'
import type { EdgeTable } from '../../data/store/edges/edge-table.ts'
import type { IndexContext } from './index-context.ts'

/** @returns takes so many of an account's away, and says how many went */
export function removeEdges(
  table: EdgeTable,
  retract: (ctx: IndexContext, edge: Edge) => void,
): (ctx: IndexContext, uid: number, limit: number) => number {
  return (ctx, uid, limit) => {
    let removed = 0
    for (const pointer of table.pointersOf(ctx.db, uid).slice(0, limit)) {
      for (const edge of table.resolve(ctx.db, uid, pointer)) {
        retract(ctx, edge)
        removed++
      }
    }
    return removed
  }
}
