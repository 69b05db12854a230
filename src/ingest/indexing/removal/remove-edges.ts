// Removes a deleted account's edges, some at a time. They are packed, so finding one by its key scans all of
// the account's edges; instead they are removed in order.

import type { Edge } from '../../../data/store/edges/edge.ts'
import type { EdgeTable } from '../../../data/store/edges/edge-table.ts'
import type { IndexContext } from '../index-context.ts'

/**
 * @returns a function that removes up to `limit` of an account's edges and returns how many it
 * removed
 */
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
