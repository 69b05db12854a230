// Values built from rows, cached across requests: parsing a record, unpacking its keys and checking its shape
// are the largest cost of reading it. Bounded by bytes.

import { BoundedByBytes } from '../../base/util/lru.ts'

type Scalar = number | string | null

/** A cached value, the row it was built from, and its size. */
export type Found<Row, T> = { row: Row; value: T; bytes: number }

/**
 * Entries never go stale and need no invalidation: each request reads its rows' scalars again,
 * including the version of their records, and a cached value is used only if all of them are equal
 * to those it was built from. Values are shared between requests and immutable. An unchanged row
 * yields the same object, so views may memoise by it.
 */
export class CachedRows<Row extends readonly Scalar[], T extends object> {
  readonly #kept: BoundedByBytes<Found<Row, T>>

  /** @param maxBytes - as estimated by the callers. */
  constructor(maxBytes: number) {
    this.#kept = new BoundedByBytes(maxBytes)
  }

  find(id: number): Found<Row, T> | undefined {
    return this.#kept.find(id)
  }

  add(id: number, row: Row, value: T, bytes: number): void {
    this.#kept.add(id, { row, value, bytes })
  }
}

export function isSameRow(a: readonly Scalar[], b: readonly Scalar[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
