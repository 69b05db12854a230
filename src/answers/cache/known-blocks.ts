// Remembers which pairs of accounts have a block between them, as far as they were looked up: lists of
// accounts omit those in a block with the account that the list is about. Pairs blocked by a list that some
// labeler took down are read again for each request, because its labelers decide.

import type { Hydrator } from '../hydrate/hydrator-types.ts'
import { blockedPairs } from '../hydrate/load/blocked-pairs.ts'
import { asEveryone, asVisitor, type Reader } from '../hydrate/reader.ts'
import type { AccountPair, BlockedPairs } from '../hydrate/types.ts'
import { PairMemory } from './pair-memory.ts'

/** Pairs held before all are dropped; about 50 bytes each. */
const MAX_PAIRS = 100_000

type Known = 'blocked' | 'free' | 'disputed'
type Sorted = Record<'blocked' | 'disputed' | 'unknown', AccountPair[]>

export class KnownBlocks extends PairMemory<Known> {
  readonly #hydrator: Pick<Hydrator, 'blocks'>

  constructor(hydrator: Pick<Hydrator, 'blocks'>) {
    super()
    this.#hydrator = hydrator
  }

  /** @returns undefined if the pair was not looked up; `disputed`: labelers decide */
  between(uid: number, other: number): Known | undefined {
    return this.of(uid)?.get(other)
  }

  /** Looks up the pairs that are not known. */
  load(pairs: readonly AccountPair[], reader: Reader): void {
    const { unknown } = this.#sorted(pairs)
    if (unknown.length === 0) return
    const isFull = this.size + unknown.length > MAX_PAIRS
    if (isFull) this.forgetAll()
    this.#read(isFull ? pairs : unknown, reader)
  }

  among(pairs: readonly AccountPair[], reader: Reader): BlockedPairs {
    this.load(pairs, reader)
    const { blocked, disputed } = this.#sorted(pairs)
    if (disputed.length === 0) return blockedPairs(blocked)
    const judged = this.#hydrator.blocks(disputed, asVisitor(reader))
    return blockedPairs([...blocked, ...disputed.filter(([uid, other]) => judged.has(uid, other))])
  }

  /** Looks each account up once, since its pairs are adjacent. Most pairs are free. */
  #sorted(pairs: readonly AccountPair[]): Sorted {
    const sorted: Sorted = { blocked: [], disputed: [], unknown: [] }
    let others: ReadonlyMap<number, Known> | undefined
    let whose = -1
    for (const pair of pairs) {
      const [uid, other] = pair
      if (uid !== whose) others = this.of(uid)
      whose = uid
      const known = others?.get(other) ?? 'unknown'
      if (known !== 'free') sorted[known].push(pair)
    }
    return sorted
  }

  #read(pairs: readonly AccountPair[], reader: Reader): void {
    const { has, isDisputed } = this.#hydrator.blocks(pairs, asEveryone(reader))
    for (const [uid, other] of pairs) {
      const known = has(uid, other) ? 'blocked' : 'free'
      this.add(uid, other, isDisputed(uid, other) ? 'disputed' : known)
    }
  }
}
