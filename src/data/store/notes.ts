// What the running transaction touches of what views are made from, collected where the rows are
// written and told to all readers after the commit (data/shared-memory/note-ring.ts). A rollback drops it.
//
// Each table's file notes what it writes, since it alone knows every statement that does. A note
// costs a few nanoseconds and no memory: it goes to a stack of integers. A transaction that notes
// more than fits tells readers to forget everything.

import { assert } from '../../base/util/assert.ts'
import { NOTE } from '../shared-memory/note-kinds.ts'
import { MAX_NOTES_AT_ONCE, type NoteWriter } from '../shared-memory/note-ring.ts'
import type { Db } from './db.ts'
import { perDatabase } from './per-database.ts'

const WIDTH = 3

export class Notes {
  readonly #stack = new Int32Array(MAX_NOTES_AT_ONCE * WIDTH)
  #used = 0
  #isTooMany = false
  #writer: NoteWriter | undefined

  /** @param kind - one of NOTE; `a` and `b` are what it names. */
  add(kind: number, a: number, b: number = 0): void {
    const stack = this.#stack
    const at = this.#used
    if (at === stack.length) {
      this.#isTooMany = true
      return
    }
    stack[at] = kind
    stack[at + 1] = a
    stack[at + 2] = b
    this.#used = at + WIDTH
  }

  /** What the transaction touched is too wide to name. */
  addEverything(): void {
    this.add(NOTE.everything, 0)
  }

  /** From now on; until then notes are dropped. */
  tell(writer: NoteWriter): void {
    this.#writer = writer
    this.drop()
  }

  /** Before a transaction. What was written outside of one would be told too late. */
  begin(): void {
    if (this.#writer) assert(this.#used === 0, 'rows that views read, written in no transaction')
    this.drop()
  }

  /** After the commit. */
  publish(): void {
    if (this.#isTooMany) this.publishEverything()
    else this.#writer?.publish(this.#stack, this.#used / WIDTH)
    this.drop()
  }

  /** Before a commit whose changes will be published to memory. */
  beginSettling(): void {
    this.#writer?.beginSettling()
  }

  /** Memory is what rows say; or nothing was committed. */
  settle(): void {
    this.#writer?.settle()
  }

  /** Between transactions. */
  publishEverything(): void {
    this.#writer?.add(NOTE.everything, 0, 0)
  }

  /** After a rollback. */
  drop(): void {
    this.#used = 0
    this.#isTooMany = false
  }
}

export const notesOf = perDatabase(() => new Notes())

/** Notes of this connection's transactions go to these readers from now on. */
export function tellNotes(db: Db, writer: NoteWriter): void {
  notesOf(db).tell(writer)
}
