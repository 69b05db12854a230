// Between which accounts a block stands, as far as it was asked: lists of accounts leave out those in
// a block with the account that they are about.

import { blockedPairs } from '../hydrate/blocked-pairs.ts'
import type { Hydrator } from '../hydrate/hydrator-types.ts'
import type { AccountPair, BlockedPairs } from '../hydrate/types.ts'

/** Then all is forgotten; about 50 bytes each. */
const MAX_PAIRS = 100_000

export class KnownBlocks {
  readonly #hydrator: Pick<Hydrator, 'blocks'>
  readonly #byUid = new Map<number, Map<number, boolean>>()
  #count = 0

  constructor(hydrator: Pick<Hydrator, 'blocks'>) {
    this.#hydrator = hydrator
  }

  among(pairs: readonly AccountPair[]): BlockedPairs {
    if (this.#count + pairs.length > MAX_PAIRS) this.forgetAll()
    const unknown = pairs.filter(([uid, other]) => this.#get(uid, other) === undefined)
    if (unknown.length > 0) this.#read(unknown)
    return blockedPairs(pairs.filter(([uid, other]) => this.#get(uid, other)))
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

  #get(uid: number, other: number): boolean | undefined {
    return this.#byUid.get(uid)?.get(other)
  }

  #read(pairs: readonly AccountPair[]): void {
    this.#count += pairs.length
    const blocked = this.#hydrator.blocks(pairs)
    for (const [uid, other] of pairs) {
      const others = this.#byUid.get(uid) ?? new Map<number, boolean>()
      this.#byUid.set(uid, others)
      others.set(other, blocked.has(uid, other))
    }
  }
}
