// A creator's records, newest first. The creator's list is ordered by subject and stores times to four
// minutes: it is sorted by these, and only the periods that the page needs are read exactly. Of a period with
// thousands of records, which a program made, each page reads only its own, in the order of their subjects.

import type { Db } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { NewestFirst } from '../timelines/newest-first.ts'
import { untilCommit } from '../until-commit.ts'
import { type Edge, periodOf } from './edge.ts'
import type { EdgeTable } from './edge-table.ts'
import type { PackedPointers } from './packed-pointers.ts'
import type { Before } from './subject-lists.ts'

/** Records of one period up to which their exact times decide: reading one takes 25 µs. */
const CROWDED = 500
/** About as many of a long list are put in order at once, which is more than a page has. */
const PART = 1_000
const SAMPLES = 256

/** Up to a limit, below a place, in order of time and subject; `before.uid` is a subject here. */
export function newestSubjects(
  db: Db,
  table: Table,
  { creator, before, limit }: { creator: number; before: Before; limit: number },
): Edge[] {
  const pointers = latestPointers(db, table, creator)
  const edgesAt = (places: Places) =>
    table.resolveAll(
      db,
      creator,
      Array.from(places, (i) => pointers.at(i)),
    )
  const page: Edge[] = []
  let open: number[] = []
  const resolve = () => {
    const below = edgesAt(open).filter((edge) => isBelow(edge, before))
    page.push(...below.sort((a, b) => b.sortAt - a.sortAt || b.subject - a.subject))
    open = []
  }
  for (const places of periodsBack(pointers, before.sortAt)) {
    if (places.length > CROWDED) {
      resolve()
      const own = belowInPeriod(pointers, places, { before, most: limit - page.length })
      page.push(...edgesAt(own).sort((a, b) => b.subject - a.subject))
      if (page.length >= limit) break
      continue
    }
    open.push(...places)
    if (page.length + open.length < limit) continue
    resolve()
    if (page.length >= limit) break
  }
  if (open.length > 0) resolve()
  return page.slice(0, limit)
}

/** Places in a list of pointers. */
type Places = ArrayLike<number> & Iterable<number>

/**
 * Of the period's pointers below a place, the first by subject alone, descending.
 * @param places - ascending
 */
function belowInPeriod(
  { subjects, periods }: PackedPointers,
  places: Places,
  { before, most }: { before: Before; most: number },
): number[] {
  const isIn = periodOf(before.sortAt) === periods[places[0]!]
  const below: number[] = []
  for (let i = places.length - 1; i >= 0 && below.length < most; i--) {
    const place = places[i]!
    if (!isIn || subjects[place]! < before.uid) below.push(place)
  }
  return below
}

/**
 * Pointers of one period after another, newest first; one of several that lead to the same records.
 * A page takes few of a long list's, so only the newest are put in order. Those of a crowded period
 * ascend.
 */
function* periodsBack(pointers: PackedPointers, until: number): Generator<Places> {
  const { periods } = pointers
  let places = within(periods, { high: periodOf(until) })
  while (places.length > 0) {
    const low = places.length > PART ? lowOfNewest(periods, places) : -Infinity
    yield* everyPeriodBack(pointers, within(periods, { low, among: places }))
    places = within(periods, { high: low - 1, among: places })
  }
}

function* everyPeriodBack(pointers: PackedPointers, all: Int32Array): Generator<Places> {
  const { subjects, periods } = pointers
  let places = all
  // A hundred thousand of one moment need no other order than they have.
  while (places.length > CROWDED) {
    const newest = newestOf(periods, places)
    const own = within(periods, { low: newest, high: newest, among: places })
    if (own.length <= CROWDED) break
    yield own.filter((place, i) => subjects[own[i + 1]!] !== subjects[place])
    places = within(periods, { high: newest - 1, among: places })
  }
  yield* smallPeriodsBack(pointers, places)
}

/** The places of pointers whose periods are between these, ascending. */
function within(
  periods: Int32Array,
  { low = -Infinity, high = Infinity, among }: { low?: number; high?: number; among?: Int32Array },
): Int32Array {
  const all = among?.length ?? periods.length
  const places = new Int32Array(all)
  let count = 0
  for (let i = 0; i < all; i++) {
    const place = among ? among[i]! : i
    const period = periods[place]!
    if (period >= low && period <= high) places[count++] = place
  }
  return places.subarray(0, count)
}

/** A period that few are newer than, by some of them; at least one is as new. */
function lowOfNewest(periods: Int32Array, places: Int32Array): number {
  const every = places.length / SAMPLES
  const some = new Int32Array(SAMPLES)
  for (let i = 0; i < SAMPLES; i++) some[i] = periods[places[Math.floor(i * every)]!]!
  return some.sort()[SAMPLES - 1 - Math.floor(PART / every)]!
}

function newestOf(periods: Int32Array, places: Int32Array): number {
  let newest = -Infinity
  for (let i = 0; i < places.length; i++) newest = Math.max(newest, periods[places[i]!]!)
  return newest
}

function* smallPeriodsBack(
  { subjects, periods }: PackedPointers,
  places: Int32Array,
): Generator<Places> {
  const open = new NewestFirst()
  for (const i of places) open.add(i, periods[i]!)
  /** By subject. */
  const group = new Map<number, number>()
  let period = Infinity
  for (const { list: i, head } of open.take()) {
    if (head !== period && group.size > 0) {
      yield ascending(group)
      group.clear()
    }
    period = head
    group.set(subjects[i]!, i)
  }
  if (group.size > 0) yield ascending(group)
}

function ascending(group: ReadonlyMap<number, number>): number[] {
  const places = [...group.values()]
  return group.size > CROWDED ? places.sort((a, b) => a - b) : places
}

type Table = Pick<EdgeTable, 'packedPointersOf' | 'resolveAll'>

type Latest = { table: Table; creator: number; pointers: PackedPointers }

/** The list that was read last, until the next commit: a request reads a long list page by page. */
const latest = perDatabase((db) => untilCommit<{ list?: Latest }>(db, () => ({})))

function latestPointers(db: Db, table: Table, creator: number): PackedPointers {
  const slot = latest(db)()
  if (slot.list?.table === table && slot.list.creator === creator) return slot.list.pointers
  const pointers = table.packedPointersOf(db, creator)
  slot.list = { table, creator, pointers }
  return pointers
}

function isBelow({ sortAt, subject }: Edge, before: Before): boolean {
  return sortAt === before.sortAt ? subject < before.uid : sortAt < before.sortAt
}
