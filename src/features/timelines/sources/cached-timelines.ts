// One thread's cache of timeline data across pages. Entries are valid until an invalidation names them, so
// readers take the invalidations first and read rows afterwards (data/shared-memory/invalidation-ring.ts).
// All of it is bounded: a part that runs full is cleared.

import { BoundedByBytes } from '../../../base/util/lru.ts'
import { INVALIDATION } from '../../../data/shared-memory/invalidation-kinds.ts'
import type { InvalidationReader } from '../../../data/shared-memory/invalidation-ring.ts'
import { postItem, repostItem } from '../../../data/store/timelines/item-ids.ts'
import type { KnownArrivals } from '../store/read/arrival-blocks.ts'
import { CachedBlocks } from './cached-blocks.ts'
import type { WrittenEntity } from './types.ts'

/** An event of the cache, with the number and the author of its record. */
type CachedEvent = WrittenEntity & { bytes: number; seq: number; uid: number }

/** The members of a list; immutable. */
export type Members = { all: readonly number[]; set: ReadonlySet<number> }

const MAX_EVENT_BYTES = 32 << 20
const MAX_ARRIVALS = 65_536
const MAX_MEMBERS = 200_000
/** Touched events that are remembered for `takeTouched`. */
const MAX_TOUCHED = 4_096

export class CachedTimelines {
  /** Entities of posts and reposts, by item; none that the operator hid. */
  readonly events = new BoundedByBytes<CachedEvent>(MAX_EVENT_BYTES)
  readonly blocks = new CachedBlocks()
  readonly #invalidations: InvalidationReader
  /** Arrival numbers, by item. */
  readonly #arrivals = new Map<number, number>()
  readonly #lists = new Map<number, Members>()
  #members = 0
  /** By item; undefined if nobody wants them. */
  #touched: Map<number, CachedEvent> | undefined

  constructor(invalidations: InvalidationReader) {
    this.#invalidations = invalidations
  }

  takeInvalidations(): void {
    if (this.#invalidations.take(this.#note)) return
    this.events.forgetAll()
    this.blocks.forgetAll()
    this.#arrivals.clear()
    this.#forgetLists()
  }

  /** Whether touched events are remembered from now on. */
  watchTouched(isWatched: boolean): void {
    this.#touched = isWatched ? new Map() : undefined
  }

  /** Cached events whose records were changed or deleted, by item: those of which no call has told yet. */
  takeTouched(most: number): ReadonlyMap<number, CachedEvent> {
    const taken = new Map<number, CachedEvent>()
    for (const [item, event] of this.#touched ?? []) {
      if (taken.size === most) break
      taken.set(item, event)
      this.#touched!.delete(item)
    }
    return taken
  }

  /** Arrivals already read from rows. */
  readonly arrivals: KnownArrivals = {
    has: ({ item, seq }) => this.#arrivals.get(item) === seq,
    add: (seen) => {
      if (this.#arrivals.size > MAX_ARRIVALS) this.#arrivals.clear()
      for (const { item, seq } of seen) this.#arrivals.set(item, seq)
    },
  }

  membersOf(list: number, read: (list: number) => readonly number[]): Members {
    const known = this.#lists.get(list)
    if (known) return known
    const all = read(list)
    const members = { all, set: new Set(all) }
    this.addList(list, members)
    return members
  }

  knownList(list: number): Members | undefined {
    return this.#lists.get(list)
  }

  addList(list: number, members: Members): void {
    if (this.#lists.has(list)) return
    if (this.#members > MAX_MEMBERS) this.#forgetLists()
    this.#members += members.all.length
    this.#lists.set(list, members)
  }

  readonly #note = (kind: number, a: number, b: number): void => {
    if (kind === INVALIDATION.post) this.#forgetItem(postItem(a))
    else if (kind === INVALIDATION.repost) this.#forgetItem(repostItem(a))
    else if (kind === INVALIDATION.block) this.blocks.forget(a, b)
    else if (kind === INVALIDATION.relations) this.blocks.forgetAllOf(a)
    else if (kind === INVALIDATION.list) this.#lists.delete(a)
  }

  #forgetItem(item: number): void {
    const cachedEvent = this.#touched && this.events.find(item)
    if (cachedEvent && this.#touched!.size < MAX_TOUCHED) this.#touched!.set(item, cachedEvent)
    this.events.forget(item)
    this.#arrivals.delete(item)
  }

  #forgetLists(): void {
    this.#lists.clear()
    this.#members = 0
  }
}
