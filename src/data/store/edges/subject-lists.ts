// The accounts that point at each subject, and their records, in order of time and account.

import type { Db, WriteDb } from '../db.ts'
import { type PerDatabase, perDatabase } from '../per-database.ts'
import { type EdgeKind, firstChunkOf, MAX_CHUNK_BYTES, type SubjectChunk } from './chunk.ts'
import { prepareManySubjectRows, prepareSubjectRows } from './chunk-rows.ts'
import { cutBefore, type ListIndex, withEntry, withoutEntry } from './delta-list.ts'
import { type Edge, isSameKey, type Pointer, periodEnd, periodStart } from './edge.ts'
import {
  accountsIn,
  edgeAt,
  edgesAmong,
  edgesWithin,
  edgeTail,
  indexEdges,
  positionOf,
  uidAt,
} from './subject-entries.ts'

/** A place in a subject's list: below every entry of this time and account. */
export type Before = { sortAt: number; uid: number }

/** The target of an account's pointer. */
type EdgeQuery = { uid: number; pointer: Pointer }

/** Up to this many, single reads are as quick as one combined read. */
const FEW = 3
/** Below all accounts, and below where a list begins. */
const LOWEST_UID = -1
/** Enough chunks for the newest few hundred entries of nearly every list. */
const LAST_CHUNKS = 8
/** Lists read at once: their chunks take about a megabyte. */
const LISTS_AT_ONCE = 100
/** Chunks of long lists read at once to name their accounts: of likes, about 200,000, in some 10 ms. */
const MOST_CHUNKS = 2_048

/** Every entry is below it. */
export const NEWEST: Before = { sortAt: Infinity, uid: Infinity }

/** A stretch of a subject's list, with the indexes of those that look for an account's records in it. */
type SharedPeriod = {
  subject: number
  from: number
  until: number
  /** By account. */
  askers: Map<number, number[]>
}

type SubjectColumns = [at: number, uid: number, bytes: Buffer]

export class SubjectLists {
  readonly #rows: PerDatabase<ReturnType<typeof prepareSubjectRows>>
  readonly #many: PerDatabase<ReturnType<typeof prepareManySubjectRows>>

  constructor(kind: EdgeKind) {
    this.#rows = perDatabase((db) => prepareSubjectRows(db, kind))
    this.#many = perDatabase((db) => prepareManySubjectRows(db, kind))
  }

  /** An account's records for the pointer's subject and period. */
  find(db: Db, uid: number, { subject, period }: Pointer): Edge[] {
    const from = periodStart(period)
    const until = periodEnd(period)
    const found: Edge[] = []
    const take = ({ at, bytes }: SubjectChunk) => {
      for (const edge of edgesWithin(bytes, at, { uid, from, until }))
        found.push({ ...edge, subject })
    }
    const chunk = this.#rows(db).covering.get(subject, until, Infinity)
    if (!chunk) return found
    take(chunk)
    for (const earlier of this.#earlier(db, { subject, from, uids: [uid] }, chunk)) take(earlier)
    return found
  }

  /**
   * The chunks before this one that reach into the period, newest first. Thousands may be of one moment, as their
   * records claim: of these, only those that may hold the accounts are read.
   * @param uids - ascending
   */
  *#earlier(
    db: Db,
    { subject, from, uids }: { subject: number; from: number; uids: readonly number[] },
    chunk: Pick<SubjectChunk, 'at' | 'uid'>,
  ): Generator<SubjectChunk> {
    const { covering } = this.#rows(db)
    let { at, uid } = chunk
    while (at >= from) {
      const earlier = covering.get(subject, at, lastBelow(uids, uid))
      if (!earlier) return
      yield earlier
      at = earlier.at
      uid = earlier.uid
    }
  }

  /**
   * The same for many, in their order: one statement for all, another for those whose period continues in the
   * chunk before, and one for each that goes on. A period of a subject is read once, whoever is looked for.
   */
  findAll(db: Db, queries: readonly EdgeQuery[]): Edge[][] {
    if (queries.length <= FEW) return queries.map(({ uid, pointer }) => this.find(db, uid, pointer))
    const { coveringTimes, coveringAll } = this.#many(db)
    const found = queries.map((): Edge[] => [])
    const take = (shared: SharedPeriod, at: number, bytes: Buffer) => {
      const { subject, from, until, askers } = shared
      for (const edge of edgesOf(bytes, at, shared)) {
        if (edge.sortAt < from || edge.sortAt > until) continue
        for (const i of askers.get(edge.uid)!) found[i]!.push({ ...edge, subject })
      }
    }
    /** What is left of the period before this chunk. */
    const takeAndGoOn = (shared: SharedPeriod, [at, first, bytes]: SubjectColumns) => {
      take(shared, at, bytes)
      return at < shared.from ? [] : [{ shared, at, uid: first - 1 }]
    }
    const periods = sharedPeriods(queries)
    const names = periods.map(({ until, subject }, i) => `"${until} ${i}":${subject}`)
    const ends = coveringTimes.all(`{${names.join()}}`) as unknown as [string, ...SubjectColumns][]
    const long = ends.flatMap(([name, ...chunk]) =>
      takeAndGoOn(periods[Number(name.split(' ')[1])]!, chunk),
    )
    if (long.length === 0) return found
    const places = JSON.stringify(long.map(({ shared, at, uid }) => [shared.subject, at, uid]))
    const further = coveringAll.all(places) as unknown as [number, ...SubjectColumns][]
    const open = further.flatMap(([i, ...chunk]) => takeAndGoOn(long[i]!.shared, chunk))
    for (const { shared, at, uid } of open) {
      const uids = [...shared.askers.keys()].sort((one, other) => one - other)
      const last = { at, uid: uid + 1 }
      for (const chunk of this.#earlier(db, { ...shared, uids }, last))
        take(shared, chunk.at, chunk.bytes)
    }
    return found
  }

  /**
   * Finds one account's records for pointers that all differ in subject or period, in one statement unless a period
   * continues in the chunk before; `found` may be told of one twice.
   */
  eachOf(
    db: Db,
    { uid, pointers }: { uid: number; pointers: readonly Pointer[] },
    found: (subject: number, edge: Omit<Edge, 'subject'>) => void,
  ): void {
    const further = (some: readonly Pointer[]) => {
      const queries = some.map((pointer) => ({ uid, pointer }))
      for (const edges of this.findAll(db, queries))
        for (const edge of edges) found(edge.subject, edge)
    }
    if (pointers.length <= FEW) return further(pointers)
    const names = pointers.map(({ subject, period }, i) => `"${periodEnd(period)} ${i}":${subject}`)
    const ends = this.#many(db).coveringTimes.all(`{${names.join()}}`)
    const long: Pointer[] = []
    for (const [name, at, , bytes] of ends as unknown as [string, ...SubjectColumns][]) {
      const pointer = pointers[Number(name.slice(name.indexOf(' ') + 1))]!
      const { subject, period } = pointer
      const from = periodStart(period)
      for (const edge of edgesWithin(bytes, at, { uid, from, until: periodEnd(period) }))
        found(subject, edge)
      if (at >= from) long.push(pointer)
    }
    if (long.length > 0) further(long)
  }

  /**
   * Of each subject's list, the accounts that are wanted, by their first record, newest first;
   * subjects without any are omitted. A call reads no more than MOST_CHUNKS of long lists: of those
   * that would exceed it, the newest part counts, and they are added to `cut`. A single list that is
   * longer is cut, too, but not added, since no later call would read more of it.
   */
  accountsOfEach(
    db: Db,
    subjects: readonly number[],
    isWanted: (uid: number) => boolean,
    cut?: Set<number>,
  ): Map<number, number[]> {
    const { lastOfEach } = this.#many(db)
    const found = new Map<number, number[]>()
    const budget = { left: MOST_CHUNKS, cut }
    for (let i = 0; i < subjects.length; i += LISTS_AT_ONCE) {
      const some = JSON.stringify(subjects.slice(i, i + LISTS_AT_ONCE))
      const rows = lastOfEach.all({ subjects: some, chunks: LAST_CHUNKS }) as unknown as [
        subject: number,
        at: number,
        bytes: Buffer,
      ][]
      for (const [subject, chunks] of Map.groupBy(rows, ([subject]) => subject)) {
        const newest = chunks.map(([, , bytes]) => bytes)
        const isLong = newest.length >= LAST_CHUNKS
        const read = isLong ? this.#chunksWithin(db, { subject, newest }, budget) : newest
        const uids = accountsBack(read, isWanted)
        if (uids.length > 0) found.set(subject, uids)
      }
    }
    return found
  }

  /** The chunks of a long list, newest first, as far as the budget goes. */
  #chunksWithin(
    db: Db,
    { subject, newest }: { subject: number; newest: Buffer[] },
    budget: { left: number; cut: Set<number> | undefined },
  ): Buffer[] {
    const isFirst = budget.left === MOST_CHUNKS
    const found: Buffer[] = []
    if (budget.left > 0) {
      for (const { bytes } of this.#rows(db).backFrom.iterate(subject, Infinity, Infinity)) {
        found.push(bytes)
        if (found.length === budget.left) break
      }
    }
    const isCut = found.length === budget.left && !isFirst
    budget.left -= found.length
    if (isCut) budget.cut?.add(subject)
    return found.length > newest.length ? found : newest
  }

  /** The newest records below a place, up to the limit, newest first. */
  newest(db: Db, subject: number, before: Before, limit: number): Edge[] {
    const found: Edge[] = []
    const { sortAt, uid } = before
    for (const { at, bytes } of this.#rows(db).backFrom.iterate(subject, sortAt, uid)) {
      const index = indexEdges(bytes, at)
      for (let i = positionOf(bytes, index, before) - 1; i >= 0 && found.length < limit; i--) {
        found.push({ ...edgeAt(bytes, index, i), subject })
      }
      if (found.length >= limit) break
    }
    return found
  }

  /** All records of these accounts; reads the whole list. */
  among(db: Db, subject: number, uids: ReadonlySet<number>): Edge[] {
    const chunks = this.#rows(db).all.all(subject) as unknown as [at: number, bytes: Buffer][]
    return chunks.flatMap(([at, bytes]) =>
      edgesAmong(bytes, at, uids).map((edge) => ({ ...edge, subject })),
    )
  }

  /**
   * Whether the list has more chunks than this; reading a chunk takes about as long as searching
   * for one.
   */
  isLonger(db: Db, subject: number, chunks: number): boolean {
    return this.#rows(db).hasMoreThan.get(subject, chunks) !== undefined
  }

  isEmpty(db: Db, subject: number): boolean {
    return this.#rows(db).exists.get(subject) === undefined
  }

  add(db: WriteDb, edge: Edge): void {
    const { subject, sortAt } = edge
    const { put } = this.#rows(db)
    const chunk = this.#covering(db, edge) ?? firstChunkOf(sortAt)
    const index = indexEdges(chunk.bytes, chunk.at)
    const i = positionOf(chunk.bytes, index, edge)
    const bytes = withEntry(chunk.bytes, index, { i, key: sortAt, tail: edgeTail(edge) })
    const grown = { ...chunk, bytes }
    const isFull = bytes.length > MAX_CHUNK_BYTES
    for (const part of isFull ? split(grown, i) : [grown]) {
      put.run(subject, part.at, part.uid, part.bytes)
    }
  }

  remove(db: WriteDb, edge: Edge): void {
    const { subject } = edge
    const { put, remove } = this.#rows(db)
    const chunk = this.#covering(db, edge)
    if (!chunk) return
    const index = indexEdges(chunk.bytes, chunk.at)
    const i = exactPosition(chunk.bytes, index, edge)
    if (i < 0) return
    const { at, uid, bytes } = chunk
    if (index.count === 1) remove.run(subject, at, uid)
    else put.run(subject, at, uid, withoutEntry(bytes, index, i))
  }

  /** The whole list. */
  all(db: Db, subject: number): Edge[] {
    const chunks = this.#rows(db).all.all(subject) as unknown as [at: number, bytes: Buffer][]
    return chunks.flatMap(([at, bytes]) => {
      const index = indexEdges(bytes, at)
      return Array.from({ length: index.count }, (_, i) => ({
        ...edgeAt(bytes, index, i),
        subject,
      }))
    })
  }

  /** @param chunks - the whole list, from `packEdges` */
  replaceAll(db: WriteDb, subject: number, chunks: readonly SubjectChunk[]): void {
    const { removeAll, put } = this.#rows(db)
    removeAll.run(subject)
    for (const { at, uid, bytes } of chunks) put.run(subject, at, uid, bytes)
  }

  #covering(db: Db, { subject, sortAt, uid }: Edge): SubjectChunk | undefined {
    return this.#rows(db).covering.get(subject, sortAt, uid)
  }
}

/**
 * The wanted accounts of a list, each once, where its first record is.
 * @param chunks - newest first
 */
function accountsBack(chunks: readonly Buffer[], isWanted: (uid: number) => boolean): number[] {
  const found: number[] = []
  for (let i = chunks.length - 1; i >= 0; i--) accountsIn(chunks[i]!, isWanted, found)
  return (found.length > 1 ? [...new Set(found)] : found).reverse()
}

/** -1 if there is no such entry. */
function exactPosition(bytes: Buffer, index: ListIndex, edge: Edge): number {
  const { sortAt, uid, rkey } = edge
  for (let i = positionOf(bytes, index, edge); i < index.count && index.keys[i] === sortAt; i++) {
    const found = edgeAt(bytes, index, i)
    if (found.uid !== uid) return -1
    if (isSameKey(found.rkey, rkey)) return i
  }
  return -1
}

/**
 * Leaves a full chunk that grows at its end full. Entries of one account and time stay together, so
 * a chunk of these alone may be longer.
 */
function split(chunk: SubjectChunk, added: number): SubjectChunk[] {
  const { bytes } = chunk
  const index = indexEdges(bytes, chunk.at)
  const { count, keys } = index
  const isSame = (i: number) =>
    keys[i] === keys[i - 1] && uidAt(bytes, index, i) === uidAt(bytes, index, i - 1)
  let i = added === count - 1 ? added : count >>> 1
  while (i > 0 && isSame(i)) i--
  if (i === 0) for (i = count >>> 1; i < count && isSame(i); ) i++
  if (i === count) return [chunk]
  const second = { at: keys[i]!, uid: uidAt(bytes, index, i) }
  const [low, high] = cutBefore(bytes, index, i)
  return [
    { ...chunk, bytes: low },
    { ...second, bytes: high },
  ]
}

/**
 * The highest of these accounts below one, or what is below all.
 * @param uids - ascending
 */
function lastBelow(uids: readonly number[], uid: number): number {
  let low = 0
  for (let high = uids.length; low < high; ) {
    const middle = (low + high) >>> 1
    if (uids[middle]! < uid) low = middle + 1
    else high = middle
  }
  return uids[low - 1] ?? LOWEST_UID
}

function sharedPeriods(queries: readonly EdgeQuery[]): SharedPeriod[] {
  const bySubject = new Map<number, Map<number, SharedPeriod>>()
  for (const [i, { uid, pointer }] of queries.entries()) {
    const { subject, period } = pointer
    const periods = bySubject.get(subject) ?? new Map<number, SharedPeriod>()
    bySubject.set(subject, periods)
    const shared = periods.get(period) ?? emptyPeriod(subject, period)
    periods.set(period, shared)
    const indexes = shared.askers.get(uid)
    if (indexes) indexes.push(i)
    else shared.askers.set(uid, [i])
  }
  return [...bySubject.values()].flatMap((periods) => [...periods.values()])
}

function emptyPeriod(subject: number, period: number): SharedPeriod {
  return { subject, from: periodStart(period), until: periodEnd(period), askers: new Map() }
}

/** The records of those accounts in a chunk; a single one's is found with less work. */
function edgesOf(bytes: Buffer, at: number, { from, until, askers }: SharedPeriod) {
  const [uid] = askers.keys()
  if (askers.size === 1) return edgesWithin(bytes, at, { uid: uid!, from, until })
  return edgesAmong(bytes, at, new Set(askers.keys()))
}
