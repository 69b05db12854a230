// Ships the pages that changed, as numbered changes of a run. A change is the database as of one moment, given
// those before it.

import type { ChangedPages } from '../store/changed-pages.ts'
import { writeChange } from './change-format.ts'
import { changeName } from './names.ts'
import type { Objects } from './objects.ts'

export type Changes = {
  /** The number of the next change. */
  next(): number
  /**
   * Ships what changed, if anything did; `always`: also if nothing did.
   * @throws BucketError; the next change then has these pages, too
   */
  ship(always?: boolean): Promise<Shipped>
  /** So much has changed that a new base is cheaper: no later change completes an earlier base. */
  isTooMuch(): boolean
  giveUp(): void
}

export type Shipped = {
  /** Of the last change. */
  seq: number
  /** The stored state is the state of this time. */
  at: number
  bytes: number
}

/** All in memory at once, and then again compressed and encrypted. */
const MOST_BYTES = 64 << 20

export function createChanges(parts: {
  run: string
  pages: ChangedPages
  objects: Objects
  now: () => number
}): Changes {
  const { run, pages, objects, now } = parts
  let next = 1
  let last: Promise<unknown> = Promise.resolve()

  async function ship(always: boolean): Promise<Shipped> {
    pages.advance()
    const at = now()
    if (pages.changed() === 0 && !always) return { seq: next - 1, at, bytes: 0 }
    const seq = next
    const taken = pages.take()
    const { pageSize } = pages
    try {
      const head = { run, seq, at, pageSize, count: pages.count() }
      const bytes = await objects.put(changeName(run, seq), writeChange(head, taken, pages))
      next = Math.max(next, seq + 1)
      return { seq, at, bytes }
    } catch (error) {
      pages.giveBack(taken)
      throw error
    }
  }

  return {
    next: () => next,
    ship(always = false) {
      const shipped = last.then(() => ship(always))
      last = shipped.catch(() => undefined)
      return shipped
    },
    isTooMuch() {
      pages.advance()
      return pages.changed() * pages.pageSize > MOST_BYTES
    },
    giveUp() {
      pages.advance()
      pages.take()
      next += 1
    },
  }
}
