// The bytes of pages that are asked for again and again, as clients poll the first page of a timeline: sent as
// they are while their items and all that these were written from are the same. A page is kept when it is asked for
// a second time; one that changed before it was of any use, only after twice as many times as before. Bounded by
// bytes over all viewers.

import { BoundedByBytes } from '../../base/util/lru.ts'
import { CachedBytes } from '../views/json/cached-bytes.ts'
import type { PageSources } from './page-sources.ts'

/** `Read`: what the page's skeleton returned, from which the caller tells whether the items are the same. */
export type CachedPage<Read = unknown> = {
  readonly reads: readonly Read[]
  readonly sources: PageSources
  readonly body: CachedBytes
}

type Entry = {
  readonly bytes: number
  readonly page: CachedPage | undefined
  /** Number of times that the page must be asked for before it is kept (again). */
  readonly every: number
  requested: number
  isUsed: boolean
}

const ENTRY_BYTES = 300
const READ_BYTES = 1_000
const MAX_EVERY = 16
/** Largest share of the memory that one page may fill. */
const MAX_SHARE = 1 / 8

export class CachedPages {
  readonly #entries: BoundedByBytes<Entry, string>
  #maxBytes: number

  constructor(maxBytes: number) {
    this.#entries = new BoundedByBytes(maxBytes)
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#entries.bytes
  }

  limitTo(bytes: number): void {
    this.#maxBytes = bytes
    this.#entries.limitTo(bytes)
  }

  /** @returns the page as it was; whether it still is, the caller finds out. */
  find(key: string): CachedPage | undefined {
    return this.#entries.find(key)?.page
  }

  /** The page that was found is sent. */
  use(key: string): void {
    const entry = this.#entries.find(key)
    if (entry) entry.isUsed = true
  }

  /**
   * Called for a page that has to be made.
   * @returns whether it should be kept
   */
  isWorthCaching(key: string): boolean {
    const entry = this.#entries.find(key)
    if (entry?.page) {
      const every = entry.isUsed ? 1 : Math.min(entry.every * 2, MAX_EVERY)
      this.#wait(key, every)
      return every === 1
    }
    if (!entry) {
      this.#wait(key, 1)
      return false
    }
    entry.requested++
    return entry.requested >= entry.every
  }

  add(key: string, page: Omit<CachedPage, 'body'>, written: Buffer): CachedBytes {
    const plain = Buffer.allocUnsafeSlow(written.length)
    written.copy(plain)
    const body = new CachedBytes(plain)
    const bytes =
      ENTRY_BYTES + key.length + body.bytes + page.sources.bytes + page.reads.length * READ_BYTES
    if (bytes > this.#maxBytes * MAX_SHARE) return body
    const { every = 1 } = this.#entries.find(key) ?? {}
    this.#entries.add(key, { bytes, page: { ...page, body }, every, requested: 0, isUsed: false })
    return body
  }

  #wait(key: string, every: number): void {
    const bytes = ENTRY_BYTES + key.length
    this.#entries.add(key, { bytes, page: undefined, every, requested: 0, isUsed: false })
  }
}
