// How much one answer holds. A post may be 100 kB, and an item shows up to a dozen of them: itself, its root and
// parent, and what each of them quotes. A hundred such items were an answer of 134 MB.

import type { Reader } from '../../../answers/hydrate/reader.ts'
import { ReadyJson } from '../../../answers/views/json/ready-json.ts'

/** Of a hundred ordinary items, thirty times as much; for visitors, whose pages are read again here, ten times. */
const MAX_BYTES = { member: 12 << 20, visitor: 4 << 20 }

export type AnswerBudget = {
  readonly isFull: boolean
  /** How many items were presented until it was full. */
  readonly presented: number
  /** Presents no more once the answer is full. */
  present<T, V>(
    some: readonly T[],
    work: (some: readonly T[]) => readonly V[],
  ): readonly (V | undefined)[]
}

export function createAnswerBudget({ viewer }: Pick<Reader, 'viewer'>): AnswerBudget {
  const maxBytes = viewer ? MAX_BYTES.member : MAX_BYTES.visitor
  let bytes = 0
  let presented = 0
  return {
    get isFull() {
      return bytes > maxBytes
    },
    get presented() {
      return presented
    },
    present(some, work) {
      if (bytes > maxBytes) return some.map(() => undefined)
      const views = work(some)
      const fitting = views.findIndex((view) => {
        bytes += bytesOf(view)
        return bytes > maxBytes
      })
      // Where not every item has its place, all of them count.
      const isCut = fitting >= 0 && views.length === some.length
      presented += isCut ? fitting + 1 : some.length
      return isCut ? views.map((view, i) => (i <= fitting ? view : undefined)) : views
    },
  }
}

/** Other views are of records, which are few and smaller. */
function bytesOf(view: unknown): number {
  if (!(view instanceof ReadyJson)) return 0
  let bytes = 0
  for (const part of view.parts) bytes += part.length
  return bytes
}
