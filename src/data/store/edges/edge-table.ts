// Packed records of one collection by which an account points at a subject (likes, follows, blocks). As rows
// with indexes, each took 55 to 105 bytes. Each creator has a list of (subject, approximate time), ascending
// by subject; each subject has a list of (sortAt, creator, key, createdAt) in order of time, which holds the
// whole record and is paged newest first. Each list leads to the other.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db, WriteDb } from '../db.ts'
import {
  addToCreatorList,
  addToSubjectList,
  type ByCreator,
  byCreator,
  pointerTo,
} from './bulk-lists.ts'
import type { EdgeKind } from './chunk.ts'
import { CreatorLists } from './creator-lists.ts'
import { compareKeys, type Edge, isSameKey, type Pointer } from './edge.ts'
import type { PackedPointers } from './packed-pointers.ts'
import { type Before, SubjectLists } from './subject-lists.ts'

type Pair = readonly [creator: number, subject: number]

/** People follow, like or block again after a mistake, and have a record or two. */
const MOST_OF_A_PAIR = 64

/**
 * Whether an account points at a subject takes one row; the record behind a key is among the
 * entries of the key's time. Lists are cut into chunks of up to a kilobyte, one row each, and are
 * changed in place; new entries mostly go to the end of a list, which leaves full chunks behind.
 */
export class EdgeTable {
  readonly #byCreator: CreatorLists
  readonly #bySubject: SubjectLists

  constructor(kind: EdgeKind) {
    this.#byCreator = new CreatorLists(kind)
    this.#bySubject = new SubjectLists(kind)
  }

  find(db: Db, uid: number, rkey: PackedRkey): Edge | undefined {
    for (const pointer of this.#byCreator.ofKey(db, uid, rkey)) {
      for (const edge of this.#bySubject.find(db, uid, pointer)) {
        if (isSameKey(edge.rkey, rkey)) return edge
      }
    }
    return undefined
  }

  /** The same for many keys, in their order. */
  findAll(db: Db, keys: readonly { uid: number; rkey: PackedRkey }[]): (Edge | undefined)[] {
    const queries = this.#byCreator
      .ofKeys(db, keys)
      .flatMap((pointers, i) => pointers.map((pointer) => ({ i, uid: keys[i]!.uid, pointer })))
    const found: (Edge | undefined)[] = keys.map(() => undefined)
    for (const [k, edges] of this.#bySubject.findAll(db, queries).entries()) {
      const { i } = queries[k]!
      found[i] ??= edges.find(({ rkey }) => isSameKey(rkey, keys[i]!.rkey))
    }
    return found
  }

  /** The record for this pair; of several, the one with the smallest key. */
  findPair(db: Db, uid: number, subject: number): Edge | undefined {
    let first: Edge | undefined
    for (const pointer of positions(this.#byCreator.find(db, uid, subject))) {
      for (const edge of this.#bySubject.find(db, uid, pointer)) {
        if (!first || compareKeys(edge.rkey, first.rkey) < 0) first = edge
      }
    }
    return first
  }

  /**
   * Keys of the creator's records for these subjects, by subject; of several, the smallest.
   * Subjects without any are omitted.
   */
  keysAmong(
    db: Db,
    { creator, subjects }: { creator: number; subjects: Iterable<number> },
  ): Map<number, PackedRkey> {
    const keys = new Map<number, PackedRkey>()
    const pointers = [...positions(this.#byCreator.among(db, creator, ascending(subjects)))]
    this.#bySubject.eachOf(db, { uid: creator, pointers }, (subject, { rkey }) =>
      putSmaller(keys, subject, rkey),
    )
    return keys
  }

  /** The record for each of these pairs, like `findPair`, in their order. */
  findPairs(db: Db, pairs: readonly Pair[]): (Edge | undefined)[] {
    const pointers = this.#byCreator.amongEach(db, byCreatorOf(pairs))
    const queries = Array.from(pointers, ([uid, of]) =>
      Array.from(positions(of), (pointer) => ({ uid, pointer })),
    ).flat()
    const first = new Map<string, Edge>()
    for (const edge of this.#bySubject.findAll(db, queries).flat()) {
      const name = `${edge.uid} ${edge.subject}`
      const cached = first.get(name)
      if (!cached || compareKeys(edge.rkey, cached.rkey) < 0) first.set(name, edge)
    }
    return pairs.map(([uid, subject]) => first.get(`${uid} ${subject}`))
  }

  /**
   * The subjects that each creator points at, distinct and ascending; creators without any are
   * omitted.
   */
  subjectsOfEach(db: Db, pairs: readonly Pair[]): Map<number, Set<number>> {
    const pointers = this.#byCreator.amongEach(db, byCreatorOf(pairs))
    return new Map(
      Array.from(pointers, ([uid, of]) => [uid, new Set(of.map(({ subject }) => subject))]),
    )
  }

  /**
   * Whether each of these records is, by its time, the first of its pair: the one with the smallest
   * key. Cursors can't separate records with the same time and pair, so of these it is the one that
   * comes first here.
   */
  areFirst(db: Db, edges: readonly Edge[]): boolean[] {
    const pointers = this.#byCreator.amongEach(
      db,
      byCreatorOf(edges.map(({ uid, subject }) => [uid, subject])),
    )
    const counts = new Map<string, number>()
    for (const [uid, all] of pointers) {
      for (const { subject } of all) {
        const name = `${uid} ${subject}`
        counts.set(name, (counts.get(name) ?? 0) + 1)
      }
    }
    const isSingle = ({ uid, subject }: Edge) => (counts.get(`${uid} ${subject}`) ?? 0) <= 1
    const several = edges.filter((edge) => !isSingle(edge))
    if (several.length === 0) return edges.map(() => true)
    const firsts = this.findPairs(
      db,
      several.map(({ uid, subject }) => [uid, subject]),
    )
    const timeOf = new Map(
      firsts.map((edge) => [edge && `${edge.uid} ${edge.subject}`, edge?.sortAt]),
    )
    const named = new Set<string>()
    return edges.map((edge) => {
      const name = `${edge.uid} ${edge.subject}`
      const isFirst = isSingle(edge) || (timeOf.get(name) === edge.sortAt && !named.has(name))
      if (isFirst) named.add(name)
      return isFirst
    })
  }

  /** The same for records of one creator, which rarely repeats itself. */
  areFirstOf(db: Db, creator: number, edges: readonly Edge[]): boolean[] {
    const repeated = this.repeatedAmong(db, {
      creator,
      subjects: edges.map(({ subject }) => subject),
    })
    return repeated.size === 0 ? edges.map(() => true) : this.areFirst(db, edges)
  }

  /**
   * The reverse of `keysAmong`: keys of these creators' records for one subject, by creator. Reads whichever is
   * less: the subject's list, or a chunk of each creator's.
   */
  keysTo(
    db: Db,
    { creators, subject }: { creators: Iterable<number>; subject: number },
  ): Map<number, PackedRkey> {
    const uids = creators instanceof Set ? creators : new Set(creators)
    const keys = new Map<number, PackedRkey>()
    if (!this.#bySubject.isLonger(db, subject, uids.size)) {
      for (const { uid, rkey } of this.#bySubject.among(db, subject, uids)) {
        putSmaller(keys, uid, rkey)
      }
      return keys
    }
    for (const edge of this.findPairs(
      db,
      Array.from(uids, (uid) => [uid, subject]),
    )) {
      if (edge) keys.set(edge.uid, edge.rkey)
    }
    return keys
  }

  has(db: Db, uid: number, subject: number): boolean {
    return this.#byCreator.has(db, uid, subject)
  }

  /**
   * Whether the account has as many records for the subject as are kept: they share one row of its
   * list, which every further one would write again.
   */
  isFull(db: Db, uid: number, subject: number): boolean {
    return this.#byCreator.has(db, uid, subject, MOST_OF_A_PAIR)
  }

  /** Whether the account has any records. */
  hasAny(db: Db, uid: number): boolean {
    return !this.#byCreator.isEmpty(db, uid)
  }

  /** The accounts among these that have records. */
  creatorsAmong(db: Db, uids: readonly number[]): number[] {
    return this.#byCreator.existing(db, uids)
  }

  /** The subjects among these for which the creator has several records. */
  repeatedAmong(
    db: Db,
    { creator, subjects }: { creator: number; subjects: Iterable<number> },
  ): Set<number> {
    const pointers = this.#byCreator.among(db, creator, ascending(subjects))
    const repeated = pointers.filter(({ subject }, i) => pointers[i - 1]?.subject === subject)
    return new Set(repeated.map(({ subject }) => subject))
  }

  /** Whether any account points at the subject. */
  isPointedAt(db: Db, subject: number): boolean {
    return !this.#bySubject.isEmpty(db, subject)
  }

  /** The subjects that the account points at, distinct and ascending. */
  subjectsOf(db: Db, uid: number): number[] {
    return [...new Set(this.#byCreator.all(db, uid).map(({ subject }) => subject))]
  }

  /** All pointers of an account, ascending by subject. */
  pointersOf(db: Db, uid: number): Pointer[] {
    return this.#byCreator.all(db, uid)
  }

  /** The same, for readers that need few of them. */
  packedPointersOf(db: Db, uid: number): PackedPointers {
    return this.#byCreator.packed(db, uid)
  }

  /** The account's records that a pointer may lead to. */
  resolve(db: Db, uid: number, pointer: Pointer): Edge[] {
    return this.#bySubject.find(db, uid, pointer)
  }

  /** The same for many pointers of one account at once. */
  resolveAll(db: Db, uid: number, pointers: readonly Pointer[]): Edge[] {
    const queries = pointers.map((pointer) => ({ uid, pointer }))
    return this.#bySubject.findAll(db, queries).flat()
  }

  /**
   * Of the accounts that point at each subject, those that are wanted, by their first record,
   * newest first; subjects without any are omitted. Only the newest part was read of those that are
   * then in `cut`.
   */
  accountsOfEach(
    db: Db,
    subjects: readonly number[],
    isWanted: (uid: number) => boolean,
    cut?: Set<number>,
  ): Map<number, number[]> {
    return this.#bySubject.accountsOfEach(db, subjects, isWanted, cut)
  }

  /** The newest records for the subject below a place, up to the limit, newest first. */
  newest(db: Db, subject: number, before: Before, limit: number): Edge[] {
    return this.#bySubject.newest(db, subject, before, limit)
  }

  /** All records of an account, in arbitrary order. */
  *edgesOf(db: Db, uid: number): Generator<Edge> {
    for (const pointer of positions(this.#byCreator.all(db, uid))) {
      yield* this.#bySubject.find(db, uid, pointer)
    }
  }

  /**
   * Its key must be free.
   * @returns whether it is the first of its pair
   */
  insert(db: WriteDb, edge: Edge): boolean {
    const isFirst = this.#byCreator.add(db, edge.uid, pointerTo(edge))
    this.#bySubject.add(db, edge)
    return isFirst
  }

  /** `edge` must be as it was found. */
  remove(db: WriteDb, edge: Edge): void {
    this.#byCreator.remove(db, edge.uid, pointerTo(edge))
    this.#bySubject.remove(db, edge)
  }

  /** The subjects of each account, one per record. Occupies the connection meanwhile. */
  lists(db: Db): Generator<[creator: number, subjects: Uint32Array]> {
    return this.#byCreator.subjects(db)
  }

  /** Whether the account's list has more chunks than this. */
  isLongerOf(db: Db, creator: number, chunks: number): boolean {
    return this.#byCreator.isLonger(db, creator, chunks)
  }

  /** The entries that a bulk of records of this account is merged with. */
  heldBy(db: Db, creator: number): ByCreator {
    return byCreator(db, creator, { byCreator: this.#byCreator, bySubject: this.#bySubject })
  }

  /**
   * Half of a bulk insertion; the other half is `addToSubject` with the same records. Their keys
   * must be free.
   */
  addToCreator(db: WriteDb, creator: number, held: ByCreator, edges: readonly Edge[]): void {
    addToCreatorList(db, creator, { lists: this.#byCreator, held, edges })
  }

  /** @param edges - of this subject, ascending by sortAt and account */
  addToSubject(db: WriteDb, subject: number, edges: readonly Edge[]): void {
    addToSubjectList(db, subject, { lists: this.#bySubject, edges })
  }

  removeAll(db: WriteDb, uid: number): void {
    for (const edge of this.edgesOf(db, uid)) this.#bySubject.remove(db, edge)
    this.#byCreator.removeAll(db, uid)
  }
}

/**
 * Two records for one subject in one period are two pointers that both lead to both records: yields
 * one of them.
 *
 * @param pointers - ascending by subject
 */
function* positions(pointers: readonly Pointer[]): Generator<Pointer> {
  let last = -1
  const periods = new Set<number>()
  for (const pointer of pointers) {
    if (pointer.subject !== last) periods.clear()
    last = pointer.subject
    if (periods.has(pointer.period)) continue
    periods.add(pointer.period)
    yield pointer
  }
}

/** The subjects of each creator, ascending and distinct. */
function byCreatorOf(pairs: readonly Pair[]): Map<number, number[]> {
  const groups = Map.groupBy(pairs, ([creator]) => creator)
  return new Map(
    Array.from(groups, ([creator, some]) => [creator, ascending(some.map(([, value]) => value))]),
  )
}

function ascending(subjects: Iterable<number>): number[] {
  const distinct = subjects instanceof Set ? subjects : new Set(subjects)
  return [...distinct].sort((a, b) => a - b)
}

function putSmaller(keys: Map<number, PackedRkey>, of: number, rkey: PackedRkey): void {
  const cached = keys.get(of)
  if (cached === undefined || compareKeys(rkey, cached) < 0) keys.set(of, rkey)
}
