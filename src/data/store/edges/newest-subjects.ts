// A creator's records, newest first. The creator's list is ordered by subject and stores times to four
// minutes: it is sorted by these, and only the periods that the page needs are read exactly. Of a period with
// thousands of records, which a program made, each page reads only its own, in the order of their subjects.

import type { Db } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { NewestFirst } from '../timelines/newest-first.ts'
import { untilCommit } from '../until-commit.ts'
import { type Edge, type Pointer, periodOf, periodStart } from './edge.ts'
import type { EdgeTable } from './edge-table.ts'
import type { Before } from './subject-lists.ts'

/** Records of one period up to which their exact times decide: reading one takes 25 µs. */
const CROWDED = 500

/** Up to a limit, below a place, in order of time and subject; `before.uid` is a subject here. */
export function newestSubjects(
  db: Db,
  table: Table,
  { creator, before, limit }: { creator: number; before: Before; limit: number },
): Edge[] {
  const page: Edge[] = []
  let open: Pointer[] = []
  const resolve = () => {
    const below = table.resolveAll(db, creator, open).filter((edge) => isBelow(edge, before))
    page.push(...below.sort((a, b) => b.sortAt - a.sortAt || b.subject - a.subject))
    open = []
  }
  for (const pointers of periodsBack(latestPointers(db, table, creator), before.sortAt)) {
    if (pointers.length > CROWDED) {
      resolve()
      const own = belowInPeriod(pointers, before, limit - page.length)
      page.push(...table.resolveAll(db, creator, own).sort((a, b) => b.subject - a.subject))
      if (page.length >= limit) break
      continue
    }
    open.push(...pointers)
    if (page.length + open.length < limit) continue
    resolve()
    if (page.length >= limit) break
  }
  if (open.length > 0) resolve()
  return page.slice(0, limit)
}

/**
 * Of the period's pointers below a place, the first by subject alone, descending.
 * @param pointers - ascending
 */
function belowInPeriod(pointers: readonly Pointer[], before: Before, most: number): Pointer[] {
  const isIn = periodOf(before.sortAt) === pointers[0]!.period
  const below: Pointer[] = []
  for (let i = pointers.length - 1; i >= 0 && below.length < most; i--) {
    const pointer = pointers[i]!
    if (!isIn || pointer.subject < before.uid) below.push(pointer)
  }
  return below
}

/**
 * Pointers of one period after another, newest first; one of several that lead to the same records.
 * A page takes few of a long list's, so the list is not sorted. Those of a crowded period ascend.
 */
function* periodsBack(all: readonly Pointer[], until: number): Generator<Pointer[]> {
  let pointers = all.filter(({ period }) => periodStart(period) <= until)
  // A hundred thousand of one moment need no other order than they have.
  while (pointers.length > CROWDED) {
    const newest = newestOf(pointers)
    const own = pointers.filter(({ period }) => period === newest)
    if (own.length <= CROWDED) break
    yield own.filter(({ subject }, i) => own[i + 1]?.subject !== subject)
    pointers = pointers.filter(({ period }) => period !== newest)
  }
  yield* smallPeriodsBack(pointers)
}

function newestOf(pointers: readonly Pointer[]): number {
  let newest = -Infinity
  for (const { period } of pointers) if (period > newest) newest = period
  return newest
}

function* smallPeriodsBack(pointers: readonly Pointer[]): Generator<Pointer[]> {
  const open = new NewestFirst()
  for (const [i, { period }] of pointers.entries()) open.add(i, period)
  const group = new Map<number, Pointer>()
  let period = Infinity
  for (const { list: i, head } of open.take()) {
    if (head !== period && group.size > 0) {
      yield ascending(group)
      group.clear()
    }
    period = head
    const pointer = pointers[i]!
    group.set(pointer.subject, pointer)
  }
  if (group.size > 0) yield ascending(group)
}

function ascending(group: ReadonlyMap<number, Pointer>): Pointer[] {
  const pointers = [...group.values()]
  return group.size > CROWDED ? pointers.sort((a, b) => a.subject - b.subject) : pointers
}

type Table = Pick<EdgeTable, 'pointersOf' | 'resolveAll'>

type Latest = { table: Table; creator: number; pointers: Pointer[] }

/** The list that was read last, until the next commit: a request reads a long list page by page. */
const latest = perDatabase((db) => untilCommit<{ list?: Latest }>(db, () => ({})))

function latestPointers(db: Db, table: Table, creator: number): readonly Pointer[] {
  const slot = latest(db)()
  if (slot.list?.table === table && slot.list.creator === creator) return slot.list.pointers
  const pointers = table.pointersOf(db, creator)
  slot.list = { table, creator, pointers }
  return pointers
}

function isBelow({ sortAt, subject }: Edge, before: Before): boolean {
  return sortAt === before.sortAt ? subject < before.uid : sortAt < before.sortAt
}
