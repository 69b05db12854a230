// What was made of rows, kept from request to request: parsing a record, unpacking its keys and
// checking its shape cost more than all else about it.
//
// Nothing here is ever out of date, and nobody has to tell it of changes: each request reads its
// rows' scalars anew, the version of their records among them, and what was kept counts only if
// every one of them is what it was made of. What is kept is shared between requests and never
// changed; an unchanged row gives the very same object, so views may remember what they make of it.
//
// Bounded by bytes, in two generations: what was not asked for while the younger one filled up is
// forgotten with the older one. A hit costs one look-up, where a list in order of use costs three.

type Scalar = number | string | null

/** What was kept, the row that it was made of, and its size. */
export type Found<Row, T> = { row: Row; value: T; bytes: number }

export class KeptRows<Row extends readonly Scalar[], T extends object> {
  readonly #maxBytes: number
  #young = new Map<number, Found<Row, T>>()
  #old = new Map<number, Found<Row, T>>()
  #youngBytes = 0

  /** @param maxBytes - of both generations together, as the callers estimate them. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  find(id: number): Found<Row, T> | undefined {
    const kept = this.#young.get(id)
    if (kept) return kept
    const aged = this.#old.get(id)
    if (aged) this.#add(id, aged)
    return aged
  }

  keep(id: number, row: Row, value: T, bytes: number): void {
    this.#add(id, { row, value, bytes })
  }

  #add(id: number, kept: Found<Row, T>): void {
    this.#youngBytes += kept.bytes - (this.#young.get(id)?.bytes ?? 0)
    this.#young.set(id, kept)
    this.#old.delete(id)
    if (this.#youngBytes * 2 <= this.#maxBytes) return
    this.#old = this.#young
    this.#young = new Map()
    this.#youngBytes = 0
  }
}

export function isSameRow(a: readonly Scalar[], b: readonly Scalar[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
