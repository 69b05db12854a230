// A creator's records, newest first. The creator's list is ordered by subject and stores times to four
// minutes: it is sorted by these, and only the periods that the page needs are read exactly.

import type { Db } from '../db.ts'
import { type Edge, type Pointer, periodStart } from './edge.ts'
import type { EdgeTable } from './edge-table.ts'
import type { Before } from './subject-lists.ts'

/** Up to a limit, below a place, in order of time and subject; `before.uid` is a subject here. */
export function newestSubjects(
  db: Db,
  table: EdgeTable,
  { creator, before, limit }: { creator: number; before: Before; limit: number },
): Edge[] {
  const page: Edge[] = []
  let open: Pointer[] = []
  const resolve = () => {
    const below = table.resolveAll(db, creator, open).filter((edge) => isBelow(edge, before))
    page.push(...below.sort((a, b) => b.sortAt - a.sortAt || b.subject - a.subject))
    open = []
  }
  for (const pointers of periodsBack(table.pointersOf(db, creator), before.sortAt)) {
    open.push(...pointers)
    if (page.length + open.length < limit) continue
    resolve()
    if (page.length >= limit) break
  }
  if (open.length > 0) resolve()
  return page.slice(0, limit)
}

/**
 * Pointers of one period after another, newest first; one of several that lead to the same records.
 */
function* periodsBack(pointers: Pointer[], until: number): Generator<Pointer[]> {
  const open = pointers.filter(({ period }) => periodStart(period) <= until)
  open.sort((a, b) => b.period - a.period || b.subject - a.subject)
  let group: Pointer[] = []
  for (const pointer of open) {
    const last = group.at(-1)
    if (last && last.period !== pointer.period) {
      yield group
      group = [pointer]
    } else if (last?.subject !== pointer.subject) group.push(pointer)
  }
  if (group.length > 0) yield group
}

function isBelow({ sortAt, subject }: Edge, before: Before): boolean {
  return sortAt === before.sortAt ? subject < before.uid : sortAt < before.sortAt
}
