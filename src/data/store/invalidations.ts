// What the running transaction touches of what views are made from, collected where the rows are written and told to
// all readers after the commit (data/shared-memory/invalidation-ring.ts). A rollback drops it. Each table's file
// names what it writes, since it alone knows every statement that does. An invalidation costs a few nanoseconds and
// no memory: it goes to a stack of integers. A transaction that names more than fits tells readers to forget
// everything.

import { assert } from '../../base/util/assert.ts'
import { INVALIDATION } from '../shared-memory/invalidation-kinds.ts'
import {
  type InvalidationWriter,
  MAX_INVALIDATIONS_AT_ONCE,
} from '../shared-memory/invalidation-ring.ts'
import { INVALIDATION_WORDS, writeInvalidation } from '../shared-memory/invalidation-words.ts'
import type { WriteDb } from './db.ts'
import { perDatabase } from './per-database.ts'

const WIDTH = INVALIDATION_WORDS

export class Invalidations {
  readonly #stack = new Int32Array(MAX_INVALIDATIONS_AT_ONCE * WIDTH)
  #used = 0
  #isTooMany = false
  #writer: InvalidationWriter | undefined

  /** @param kind - one of INVALIDATION; `a` and `b` are what it names. */
  add(kind: number, a: number, b: number = 0): void {
    const stack = this.#stack
    const at = this.#used
    if (at === stack.length) {
      this.#isTooMany = true
      return
    }
    writeInvalidation(stack, at, kind, a, b)
    this.#used = at + WIDTH
  }

  /** What the transaction touched is too wide to name. */
  addEverything(): void {
    this.add(INVALIDATION.everything, 0)
  }

  /** From now on; until then invalidations are dropped. */
  tell(writer: InvalidationWriter): void {
    this.#writer = writer
    this.drop()
  }

  /** Before a transaction. What was written outside of one would be told too late. */
  begin(): void {
    if (this.#writer) assert(this.#used === 0, 'rows that views read, written in no transaction')
    this.drop()
  }

  /** At the end of a transaction. */
  beginCommit(): void {
    this.#writer?.beginCommit()
  }

  /** After the commit. */
  publish(): void {
    if (this.#isTooMany) this.publishEverything()
    else this.#writer?.publish(this.#stack, this.#used / WIDTH)
    this.drop()
  }

  /** What was committed is told; or nothing was. */
  endCommit(): void {
    this.#writer?.endCommit()
  }

  /** Before a commit whose changes will be published to memory. */
  beginPublishing(): void {
    this.#writer?.beginPublishing()
  }

  /** Memory is what rows say; or nothing was committed. */
  endPublishing(): void {
    this.#writer?.endPublishing()
  }

  /** Between transactions. */
  publishEverything(): void {
    this.#writer?.add(INVALIDATION.everything, 0, 0)
  }

  /** After a rollback. */
  drop(): void {
    this.#used = 0
    this.#isTooMany = false
  }
}

export const invalidationsOf: (db: WriteDb) => Invalidations = perDatabase(
  () => new Invalidations(),
)

/** Invalidations of this connection's transactions go to these readers from now on. */
export function publishInvalidationsTo(db: WriteDb, writer: InvalidationWriter): void {
  invalidationsOf(db).tell(writer)
}
