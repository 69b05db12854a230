// Runs work inside one write transaction, all or nothing, and tells all readers after the commit which rows behind
// views it touched.

import { assert } from '../../base/util/assert.ts'
import { INVALIDATION } from '../shared-memory/invalidation-kinds.ts'
import {
  INVALIDATION_WORDS,
  type InvalidationWriter,
  MAX_INVALIDATIONS_AT_ONCE,
  writeInvalidation,
} from '../shared-memory/invalidation-ring.ts'
import type { Db, WriteDb } from './db.ts'
import { perDatabase } from './per-database.ts'

const WIDTH = INVALIDATION_WORDS

/**
 * The rows of a transaction, named to readers in data/shared-memory/invalidation-ring.ts; a rollback
 * drops them. Each table's file names its own writes, since only it knows every statement. An
 * invalidation costs a few nanoseconds and no allocation: it goes to a stack of integers. A
 * transaction that names more than fits tells readers to drop everything.
 */
class Invalidations {
  readonly #stack = new Int32Array(MAX_INVALIDATIONS_AT_ONCE * WIDTH)
  #used = 0
  #isTooMany = false
  #writer: InvalidationWriter | undefined

  /** @param kind - one of INVALIDATION; `a` and `b` are the ids it names */
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

  /** For a transaction that touched too much to name. */
  addEverything(): void {
    this.add(INVALIDATION.everything, 0)
  }

  /** Publishes from now on; until then invalidations are dropped. */
  tell(writer: InvalidationWriter): void {
    this.#writer = writer
    this.drop()
  }

  /** Called before a transaction. Writes outside of one would be published too late. */
  begin(): void {
    if (this.#writer) assert(this.#used === 0, 'rows that views read, written in no transaction')
    this.drop()
  }

  /** Called at the end of a transaction. */
  beginCommit(): void {
    this.#writer?.beginCommit()
  }

  /** Called after the commit. */
  publish(): void {
    if (this.#isTooMany) this.publishEverything()
    else this.#writer?.publish(this.#stack, this.#used / WIDTH)
    this.drop()
  }

  /** Called once the commit is published, or nothing was committed. */
  endCommit(): void {
    this.#writer?.endCommit()
  }

  /** Called before a commit whose changes will be published to memory. */
  beginPublishing(): void {
    this.#writer?.beginPublishing()
  }

  /** Called once memory matches the rows, or nothing was committed. */
  endPublishing(): void {
    this.#writer?.endPublishing()
  }

  /** Called between transactions. */
  publishEverything(): void {
    this.#writer?.add(INVALIDATION.everything, 0, 0)
  }

  /** Called after a rollback. */
  drop(): void {
    this.#used = 0
    this.#isTooMany = false
  }
}

export const invalidationsOf: (db: WriteDb) => Invalidations = perDatabase(
  () => new Invalidations(),
)

/** Sends the invalidations of this connection's transactions to these readers from now on. */
export function publishInvalidationsTo(db: WriteDb, writer: InvalidationWriter): void {
  invalidationsOf(db).tell(writer)
}

const transaction = perDatabase((db) => db.transaction((work: () => void) => work()))

/** Returns a function that reads the database as of one moment. */
export function atOneMoment<Args extends unknown[], Result>(
  db: Db,
  read: (...args: Args) => Result,
): (...args: Args) => Result {
  return (db as WriteDb).transaction(read)
}

/**
 * Inside a transaction, joins it.
 * @throws the error of `work` or SQLite, after a rollback
 */
export function transact(db: WriteDb, work: () => void): void {
  if (db.inTransaction) return transaction(db)(work)
  const invalidations = invalidationsOf(db)
  invalidations.begin()
  try {
    transaction(db).immediate(() => {
      work()
      invalidations.beginCommit()
    })
    invalidations.publish()
  } catch (error) {
    invalidations.drop()
    throw error
  } finally {
    invalidations.endCommit()
  }
}

const TAKEN_BACK = new Error('only tried')

/** Runs the work and rolls it back. Inside a transaction, the rest of that continues. */
export function tryOut(db: WriteDb, work: () => void): void {
  try {
    transaction(db)(() => {
      work()
      throw TAKEN_BACK
    })
  } catch (error) {
    if (error !== TAKEN_BACK) throw error
  }
}
