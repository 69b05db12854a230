// The subjects that each account points at, in ascending order: lookups of a subject (one row), entries that
// may belong to a record key, and changes.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db, WriteDb } from '../db.ts'
import { type PerDatabase, perDatabase } from '../per-database.ts'
import { type CreatorChunk, type EdgeKind, MAX_CHUNK_BYTES } from './chunk.ts'
import { prepareCreatorRows, prepareManyCreatorRows } from './chunk-rows.ts'
import {
  eachPointer,
  indexPointers,
  pointerAt,
  pointersAmong,
  pointersOfKey,
  pointerTail,
  positionOf,
} from './creator-entries.ts'
import { cutBefore, type ListIndex, withEntry, withoutEntry } from './delta-list.ts'
import { keyHashOf, keyPeriodOf, type Pointer } from './edge.ts'
import { type PackedPointers, packPointers } from './packed-pointers.ts'

/** The first chunk of a list is stored under 0, so that no entry is ever below it. */
const LOWEST: CreatorChunk = {
  first: 0,
  oldest: Infinity,
  newest: -Infinity,
  bytes: Buffer.alloc(0),
}

/** Up to this many, single reads are quicker than one combined read, which names each subject. */
const FEW_CHUNKS = 6

export class CreatorLists {
  readonly #rows: PerDatabase<ReturnType<typeof prepareCreatorRows>>
  readonly #many: PerDatabase<ReturnType<typeof prepareManyCreatorRows>>

  constructor(kind: EdgeKind) {
    this.#rows = perDatabase((db) => prepareCreatorRows(db, kind))
    this.#many = perDatabase((db) => prepareManyCreatorRows(db, kind))
  }

  /** Entries for this subject: several if the creator has several records for it. */
  find(db: Db, creator: number, subject: number): Pointer[] {
    const chunk = this.#rows(db).covering.get(creator, subject)
    if (!chunk) return []
    return pointersAmong(chunk.bytes, chunk.first, [subject])
  }

  /**
   * Entries for any of these subjects, ascending. Reads each chunk once, however many subjects it
   * covers: the first few one by one, which is usually all, and the rest in one statement.
   *
   * @param subjects - ascending and distinct
   */
  among(db: Db, creator: number, subjects: readonly number[]): Pointer[] {
    const { coveringUntil, lowest } = this.#rows(db)
    const found: Pointer[][] = []
    let from = 0
    for (let chunks = 0; from < subjects.length && chunks < FEW_CHUNKS; chunks++) {
      const chunk = coveringUntil.get(creator, subjects[from]!) as unknown as
        | [first: number, bytes: Buffer, until: number | null]
        | undefined
      const until = chunk ? chunk[2] : lowest.get(creator)
      const end = positionAmong(subjects, until ?? Infinity)
      if (chunk) found.push(pointersAmong(chunk[1], chunk[0], subjects.slice(from, end)))
      from = end
    }
    if (from < subjects.length) {
      const rest = this.amongEach(db, new Map([[creator, subjects.slice(from)]]))
      found.push(rest.get(creator) ?? [])
    }
    return found.flat()
  }

  /**
   * The same for many creators at once; creators without entries are omitted.
   *
   * @param subjects - by creator; ascending and distinct
   */
  amongEach(db: Db, subjects: ReadonlyMap<number, readonly number[]>): Map<number, Pointer[]> {
    const pairs = Array.from(subjects, ([creator, all]) =>
      all.map((value) => [creator, value]),
    ).flat()
    const chunks = this.#many(db).coveringAmong.all(JSON.stringify(pairs)) as unknown as [
      creator: number,
      first: number,
      bytes: Buffer,
    ][]
    const found = new Map<number, Pointer[]>()
    for (const [creator, first, bytes] of chunks) {
      const pointers = pointersAmong(bytes, first, subjects.get(creator)!)
      if (pointers.length > 0) found.set(creator, [...(found.get(creator) ?? []), ...pointers])
    }
    return found
  }

  /** Whether the creator has at least so many entries for this subject. */
  has(db: Db, creator: number, subject: number, count = 1): boolean {
    const chunk = this.#rows(db).covering.get(creator, subject)
    if (!chunk) return false
    return pointersAmong(chunk.bytes, chunk.first, [subject], count).length === count
  }

  /** Entries that may belong to this record key. */
  ofKey(db: Db, creator: number, rkey: PackedRkey): Pointer[] {
    const keyPeriod = keyPeriodOf(rkey)
    const chunks = this.#rows(db).ofPeriod.all(creator, keyPeriod, keyPeriod)
    if (chunks.length === 0) return []
    const key = { keyPeriod, keyHash: keyHashOf(rkey) }
    return chunks.flatMap(({ bytes, first }) => pointersOfKey(bytes, first, key))
  }

  /** The same for many record keys, in their order. */
  ofKeys(db: Db, keys: readonly { uid: number; rkey: PackedRkey }[]): Pointer[][] {
    const queries = keys.map(({ rkey }) => ({
      keyPeriod: keyPeriodOf(rkey),
      keyHash: keyHashOf(rkey),
    }))
    const found = keys.map((): Pointer[] => [])
    const positions = JSON.stringify(keys.map(({ uid }, i) => [uid, queries[i]!.keyPeriod]))
    const chunks = this.#many(db).ofPeriods.all(positions) as unknown as [
      place: number,
      first: number,
      bytes: Buffer,
    ][]
    for (const [i, first, bytes] of chunks)
      found[i]!.push(...pointersOfKey(bytes, first, queries[i]!))
    return found
  }

  /** All entries, ascending by subject. */
  all(db: Db, creator: number): Pointer[] {
    return this.#rows(db).all.all(creator).flatMap(pointersOf)
  }

  /** The same, for readers that need few of them. */
  packed(db: Db, creator: number): PackedPointers {
    return packPointers(this.#rows(db).all.all(creator))
  }

  /** The accounts among these that have entries. */
  existing(db: Db, creators: readonly number[]): number[] {
    return this.#rows(db).existing.all(JSON.stringify(creators))
  }

  isEmpty(db: Db, creator: number): boolean {
    return this.#rows(db).exists.get(creator) === undefined
  }

  isLonger(db: Db, creator: number, chunks: number): boolean {
    return this.#rows(db).hasMoreThan.get(creator, chunks) !== undefined
  }

  /** Pairs of creator and subject. Occupies the connection meanwhile. */
  *#pairs(db: Db): Generator<[creator: number, subject: number]> {
    for (const [creator, first, bytes] of this.#rows(db).lists.iterate()) {
      for (const { subject } of pointersOf({ first, bytes })) yield [creator, subject]
    }
  }

  /** @returns whether it is the first for its subject */
  add(db: WriteDb, creator: number, pointer: Pointer): boolean {
    const { subject, keyPeriod } = pointer
    const chunk = this.#rows(db).covering.get(creator, subject) ?? LOWEST
    const index = indexPointers(chunk.bytes, chunk.first)
    const i = positionOf(index, subject)
    const isFirst = i === index.count || index.keys[i] !== subject
    const bytes = withEntry(chunk.bytes, index, { i, key: subject, tail: pointerTail(pointer) })
    const grown = {
      first: chunk.first,
      oldest: Math.min(keyPeriod, chunk.oldest),
      newest: Math.max(keyPeriod, chunk.newest),
      bytes,
    }
    const isFull = bytes.length > MAX_CHUNK_BYTES
    for (const part of isFull ? split(grown, i) : [grown]) this.#put(db, creator, part)
    return isFirst
  }

  remove(db: WriteDb, creator: number, pointer: Pointer): void {
    const { covering, remove } = this.#rows(db)
    const chunk = covering.get(creator, pointer.subject)
    if (!chunk) return
    const index = indexPointers(chunk.bytes, chunk.first)
    const i = exactPosition(chunk.bytes, index, pointer)
    if (i < 0) return
    if (index.count === 1) remove.run(creator, chunk.first)
    else this.#put(db, creator, { ...chunk, bytes: withoutEntry(chunk.bytes, index, i) })
  }

  /** @param chunks - the whole list, from `packPointers` */
  replaceAll(db: WriteDb, creator: number, chunks: readonly CreatorChunk[]): void {
    this.removeAll(db, creator)
    for (const chunk of chunks) this.#put(db, creator, chunk)
  }

  /** The subjects of each creator, one item per creator. Occupies the connection meanwhile. */
  *subjects(db: Db): Generator<[creator: number, subjects: Uint32Array]> {
    let current = 0
    let subjects: number[] = []
    for (const [creator, subject] of this.#pairs(db)) {
      if (creator !== current && subjects.length > 0) yield [current, Uint32Array.from(subjects)]
      if (creator !== current) subjects = []
      current = creator
      subjects.push(subject)
    }
    if (subjects.length > 0) yield [current, Uint32Array.from(subjects)]
  }

  removeAll(db: WriteDb, creator: number): void {
    this.#rows(db).removeAll.run(creator)
  }

  #put(db: WriteDb, creator: number, { first, oldest, newest, bytes }: CreatorChunk): void {
    this.#rows(db).put.run(creator, first, oldest, newest, bytes)
  }
}

/** The place of the first subject that is not below this one. */
function positionAmong(subjects: readonly number[], subject: number): number {
  const i = subjects.findIndex((value) => value >= subject)
  return i < 0 ? subjects.length : i
}

function pointersOf(chunk: Pick<CreatorChunk, 'bytes' | 'first'>): Pointer[] {
  const all: Pointer[] = []
  eachPointer(chunk, (subject, { period, keyPeriod, keyHash }) => {
    all.push({ subject, period, keyPeriod, keyHash })
  })
  return all
}

/** -1 if there is no such entry. */
function exactPosition(bytes: Buffer, index: ListIndex, pointer: Pointer): number {
  const { subject, period, keyPeriod, keyHash } = pointer
  for (let i = positionOf(index, subject); i < index.count && index.keys[i] === subject; i++) {
    const found = pointerAt(bytes, index, i)
    const isSame = found.period === period && found.keyPeriod === keyPeriod
    if (isSame && found.keyHash === keyHash) return i
  }
  return -1
}

/**
 * Leaves a full chunk that grows at its end full. Entries of one subject stay together, so a chunk
 * of one subject may be longer.
 */
function split(chunk: CreatorChunk, added: number): CreatorChunk[] {
  const index = indexPointers(chunk.bytes, chunk.first)
  const { count, keys } = index
  let i = added === count - 1 ? added : count >>> 1
  while (i > 0 && keys[i] === keys[i - 1]) i--
  if (i === 0) for (i = count >>> 1; i < count && keys[i] === keys[i - 1]; ) i++
  if (i === count) return [chunk]
  const second = keys[i]!
  const [low, high] = cutBefore(chunk.bytes, index, i)
  return [bounded(chunk.first, low), bounded(second, high)]
}

/** A chunk with its own oldest and newest key. */
function bounded(first: number, bytes: Buffer): CreatorChunk {
  let oldest = Infinity
  let newest = -Infinity
  for (const { keyPeriod } of pointersOf({ first, bytes })) {
    oldest = Math.min(oldest, keyPeriod)
    newest = Math.max(newest, keyPeriod)
  }
  return { first, oldest, newest, bytes }
}
