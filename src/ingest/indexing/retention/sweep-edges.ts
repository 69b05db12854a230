// Walks the edges of an account or a post, page by page, and drops those whose other end is not kept.

import type { Edge, Pointer } from '../../../data/store/edges/edge.ts'
import type { EdgeTable } from '../../../data/store/edges/edge-table.ts'
import { type Before, NEWEST } from '../../../data/store/edges/subject-lists.ts'
import type { Reached } from '../../../data/store/removal/gc-candidates.ts'
import { type IndexContext, isAuthor } from '../index-context.ts'
import { PAGE, type Step } from './step.ts'

type Drop = (ctx: IndexContext, edge: Edge) => void

/** Visits all subjects that an account's edges point to, ascending. */
export function eachPointer(
  table: EdgeTable,
  visit: (ctx: IndexContext, uid: number, pointer: Pointer) => void,
): Step {
  return (ctx, uid, reached) => {
    const after = Number(reached ?? 0)
    const left = table.pointersOf(ctx.db, uid).filter(({ subject }) => subject > after)
    const page = completeSubjects(left)
    for (const pointer of page) visit(ctx, uid, pointer)
    return page.length === left.length ? undefined : page.at(-1)!.subject
  }
}

/** Drops an account's edges unless their subject is kept. */
export function dropPointers(
  table: EdgeTable,
  drop: Drop,
  isStored: (ctx: IndexContext, subject: number) => boolean,
): Step {
  return eachPointer(table, (ctx, uid, pointer) => {
    if (isStored(ctx, pointer.subject)) return
    for (const edge of table.resolve(ctx.db, uid, pointer)) drop(ctx, edge)
  })
}

/** Drops edges to a subject unless their creator is kept; newest first. */
export function dropPointedBy(
  table: EdgeTable,
  drop: Drop,
  isStored: (ctx: IndexContext, uid: number) => boolean,
): Step {
  return (ctx, subject, reached) => {
    const page = table.newest(ctx.db, subject, positionOf(reached), PAGE)
    for (const edge of page) if (!isStored(ctx, edge.uid)) drop(ctx, edge)
    const last = page.at(-1)
    return page.length < PAGE || !last ? undefined : `${last.sortAt}:${last.uid}`
  }
}

/** Whether a stranger's follow or block of this account is kept. */
export function isStoredSubject(ctx: IndexContext, uid: number): boolean {
  return ctx.storedScope !== 'authors' && isAuthor(ctx, uid)
}

/** A page, extended by the rest of its last subject's pointers. */
function completeSubjects(pointers: readonly Pointer[]): readonly Pointer[] {
  let end = Math.min(PAGE, pointers.length)
  while (end < pointers.length && pointers[end]!.subject === pointers[end - 1]!.subject) end++
  return pointers.slice(0, end)
}

function positionOf(reached: Reached | null): Before {
  if (reached === null) return NEWEST
  const [sortAt, uid] = String(reached).split(':').map(Number) as [number, number]
  return { sortAt, uid }
}
