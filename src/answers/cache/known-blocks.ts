// Between which accounts a block stands, as far as it was asked: lists of accounts leave out those in
// a block with the account that they are about. Those between whom a list blocks that some labeler took
// down are read anew for each request, whose labelers decide.

import { blockedPairs } from '../hydrate/blocked-pairs.ts'
import type { Hydrator } from '../hydrate/hydrator-types.ts'
import { asEveryone, asVisitor, type Reader } from '../hydrate/reader.ts'
import type { AccountPair, BlockedPairs } from '../hydrate/types.ts'

/** Then all is forgotten; about 50 bytes each. */
const MAX_PAIRS = 100_000

type Known = 'blocked' | 'free' | 'disputed'
type Sorted = Record<'blocked' | 'disputed' | 'unknown', AccountPair[]>

export class KnownBlocks {
  readonly #hydrator: Pick<Hydrator, 'blocks'>
  readonly #byUid = new Map<number, Map<number, Known>>()
  #count = 0

  constructor(hydrator: Pick<Hydrator, 'blocks'>) {
    this.#hydrator = hydrator
  }

  among(pairs: readonly AccountPair[], reader: Reader): BlockedPairs {
    let known = this.#sorted(pairs)
    if (known.unknown.length > 0) {
      const isFull = this.#count + known.unknown.length > MAX_PAIRS
      if (isFull) this.forgetAll()
      this.#read(isFull ? pairs : known.unknown, reader)
      known = this.#sorted(pairs)
    }
    const { blocked, disputed } = known
    if (disputed.length === 0) return blockedPairs(blocked)
    const judged = this.#hydrator.blocks(disputed, asVisitor(reader))
    return blockedPairs([...blocked, ...disputed.filter(([uid, other]) => judged.has(uid, other))])
  }

  forget(uid: number, other: number): void {
    this.#byUid.get(uid)?.delete(other)
    this.#byUid.get(other)?.delete(uid)
  }

  forgetAllOf(uid: number): void {
    this.#byUid.delete(uid)
    for (const others of this.#byUid.values()) others.delete(uid)
  }

  forgetAll(): void {
    this.#byUid.clear()
    this.#count = 0
  }

  /** Pairs of one account stand together, so each account is looked up once; most are free. */
  #sorted(pairs: readonly AccountPair[]): Sorted {
    const sorted: Sorted = { blocked: [], disputed: [], unknown: [] }
    let others: Map<number, Known> | undefined
    let whose = -1
    for (const pair of pairs) {
      const [uid, other] = pair
      if (uid !== whose) others = this.#byUid.get(uid)
      whose = uid
      const known = others?.get(other) ?? 'unknown'
      if (known !== 'free') sorted[known].push(pair)
    }
    return sorted
  }

  #read(pairs: readonly AccountPair[], reader: Reader): void {
    this.#count += pairs.length
    const { has, isDisputed } = this.#hydrator.blocks(pairs, asEveryone(reader))
    for (const [uid, other] of pairs) {
      const others = this.#byUid.get(uid) ?? new Map<number, Known>()
      this.#byUid.set(uid, others)
      const known = has(uid, other) ? 'blocked' : 'free'
      others.set(other, isDisputed(uid, other) ? 'disputed' : known)
    }
  }
}
