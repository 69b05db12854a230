// What was made of rows, kept from request to request: parsing a record, unpacking its keys and checking its shape
// cost more than all else about it. Bounded by bytes.

import { BoundedByBytes } from '../../base/util/bounded-by-bytes.ts'

type Scalar = number | string | null

/** What was kept, the row that it was made of, and its size. */
export type Found<Row, T> = { row: Row; value: T; bytes: number }

/**
 * Nothing here is ever out of date, and nobody has to tell it of changes: each request reads its rows' scalars anew,
 * the version of their records among them, and what was kept counts only if every one of them is what it was made
 * of. What is kept is shared between requests and never changed; an unchanged row gives the very same object, so
 * views may remember what they make of it.
 */
export class KeptRows<Row extends readonly Scalar[], T extends object> {
  readonly #kept: BoundedByBytes<Found<Row, T>>

  /** @param maxBytes - as the callers estimate them. */
  constructor(maxBytes: number) {
    this.#kept = new BoundedByBytes(maxBytes)
  }

  find(id: number): Found<Row, T> | undefined {
    return this.#kept.find(id)
  }

  keep(id: number, row: Row, value: T, bytes: number): void {
    this.#kept.keep(id, { row, value, bytes })
  }
}

export function isSameRow(a: readonly Scalar[], b: readonly Scalar[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
