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

export class KnownBlocks {
  readonly #hydrator: Pick<Hydrator, 'blocks'>
  readonly #byUid = new Map<number, Map<number, Known>>()
  #count = 0

  constructor(hydrator: Pick<Hydrator, 'blocks'>) {
    this.#hydrator = hydrator
  }

  among(pairs: readonly AccountPair[], reader: Reader): BlockedPairs {
    if (this.#count + pairs.length > MAX_PAIRS) this.forgetAll()
    const unknown = pairs.filter(([uid, other]) => this.#get(uid, other) === undefined)
    if (unknown.length > 0) this.#read(unknown, reader)
    const those = (known: Known) => pairs.filter(([uid, other]) => this.#get(uid, other) === known)
    const disputed = those('disputed')
    if (disputed.length === 0) return blockedPairs(those('blocked'))
    const judged = this.#hydrator.blocks(disputed, asVisitor(reader))
    const blocked = disputed.filter(([uid, other]) => judged.has(uid, other))
    return blockedPairs([...those('blocked'), ...blocked])
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

  #get(uid: number, other: number): Known | undefined {
    return this.#byUid.get(uid)?.get(other)
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
