// Timelines in shared memory: a circular buffer of entries for each open one, newest first. Three growing
// arrays: `slots` maps an owner to a slot, `heads` holds each slot's owner, start, length and floor,
// `entries` the entries, 16 bytes each. One writer; readers in other threads copy, then check the change log
// for writes to the owner's timeline meanwhile (shared-memory/change-log.ts).

import { assert } from '../assert.ts'
import { ChangeLogReader, ChangeLogWriter, UNREAD } from '../shared-memory/change-log.ts'
import { createSharedInts, SharedInts } from '../shared-memory/shared-ints.ts'
import { compareEntry, copyEntry, ENTRY_WORDS, readEntry, writeEntry } from './entry-words.ts'
import type {
  TimelineEntry,
  TimelinePosition,
  TimelineReader,
  TimelineSlice,
  TimelineWriter,
} from './types.ts'

/** Cloneable: passed to reading threads through `workerData` or a message. */
export type TimelinesHandle = {
  capacity: number
  log: SharedArrayBuffer
  slots: SharedArrayBuffer
  heads: SharedArrayBuffer
  entries: SharedArrayBuffer
}

const OWNER = 0
const START = 1
const LENGTH = 2
const TRUNCATED = 3
/** In the layout of an entry; valid if TRUNCATED is 1. */
const FLOOR = 4
const HEAD_WORDS = 8

/** Newer than any entry: the floor of a timeline opened truncated and empty, which takes none. */
const TOP: TimelineEntry = {
  sortAt: 2 ** 43 - 1,
  rank: 2 ** 15 - 1,
  item: 2 ** 38 - 1,
  originator: 0,
}

const MAX_UID = 2 ** 30
const MAX_SLOTS = 2 ** 22
/** Address space, not memory: the maximum size of one shared array. */
const MAX_ENTRY_WORDS = 2 ** 31

/** The positions of entries, for reader and writer. */
class RingStore {
  readonly capacity: number
  readonly slots: SharedInts
  readonly heads: SharedInts
  readonly entries: SharedInts

  constructor(handle: Omit<TimelinesHandle, 'log'>) {
    this.capacity = handle.capacity
    this.slots = new SharedInts(handle.slots)
    this.heads = new SharedInts(handle.heads)
    this.entries = new SharedInts(handle.entries)
  }

  /** Slot number plus one; 0 if the owner has none. */
  slotOf(owner: number): number {
    return this.slots.ints[owner] ?? 0
  }

  /** Word index of the `i`th newest entry. */
  at(slot: number, start: number, i: number): number {
    const turned = start + i
    const index = turned >= this.capacity ? turned - this.capacity : turned
    return (slot * this.capacity + index) * ENTRY_WORDS
  }

  /** Number of entries newer than `position`: the index where it is, or belongs. */
  countNewer(slot: number, position: TimelinePosition): number {
    const head = slot * HEAD_WORDS
    const start = this.heads.ints[head + START]!
    const words = this.entries.ints
    let low = 0
    let high = Math.min(this.heads.ints[head + LENGTH]!, this.capacity)
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareEntry(words, this.at(slot, start, middle), position) > 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

class RingsWriter implements TimelineWriter {
  readonly handle: TimelinesHandle
  readonly #store: RingStore
  readonly #log = new ChangeLogWriter()
  readonly #free: number[] = []
  #slotCount = 0
  #openCount = 0

  constructor(capacity: number, most: number) {
    const fitting = Math.floor(MAX_ENTRY_WORDS / (capacity * ENTRY_WORDS))
    const maxSlots = Math.min(MAX_SLOTS, fitting, most)
    this.handle = {
      capacity,
      log: this.#log.buffer,
      slots: createSharedInts(MAX_UID).buffer,
      heads: createSharedInts(maxSlots * HEAD_WORDS).buffer,
      entries: createSharedInts(maxSlots * capacity * ENTRY_WORDS).buffer,
    }
    this.#store = new RingStore(this.handle)
  }

  get openCount(): number {
    return this.#openCount
  }

  isOpen(owner: number): boolean {
    return this.#store.slotOf(owner) !== 0
  }

  read(
    owner: number,
    before: TimelinePosition | undefined,
    limit: number,
  ): TimelineSlice | undefined {
    const slot = this.#store.slotOf(owner) - 1
    return slot < 0 ? undefined : readSlice(this.#store, slot, before, limit)
  }

  /** Owners of open timelines, in slot order; one opened meanwhile may be missing. */
  *owners(): Generator<number> {
    for (let slot = 0; slot < this.#slotCount; slot++) {
      const owner = this.#store.heads.ints[slot * HEAD_WORDS + OWNER]!
      if (owner !== 0) yield owner
    }
  }

  open(owner: number, entries: TimelineEntry[], truncated: boolean): void {
    const { capacity } = this.#store
    const sorted = [...entries].sort(newestFirst).filter(isFirstOfPosition)
    const filtered = sorted.slice(0, capacity)
    this.#log.begin(owner, owner)
    const slot = this.#slotFor(owner)
    const head = slot * HEAD_WORDS
    filtered.forEach((entry, i) => {
      writeEntry(this.#store.entries.ints, this.#store.at(slot, 0, i), entry)
    })
    const heads = this.#store.heads.ints
    heads[head + OWNER] = owner
    heads[head + START] = 0
    heads[head + LENGTH] = filtered.length
    heads[head + TRUNCATED] = 0
    const left = truncated ? (filtered.at(-1) ?? TOP) : sorted[capacity]
    if (left) this.#raiseFloor(slot, left)
    this.#log.end()
  }

  close(owner: number): void {
    const slot = this.#store.slotOf(owner) - 1
    if (slot < 0) return
    this.#log.begin(owner, owner)
    this.#store.slots.ints[owner] = 0
    this.#store.heads.ints.fill(0, slot * HEAD_WORDS, (slot + 1) * HEAD_WORDS)
    this.#log.end()
    this.#free.push(slot)
    this.#openCount--
  }

  insert(owner: number, entry: TimelineEntry): void {
    const store = this.#store
    const slot = store.slotOf(owner) - 1
    if (slot < 0 || this.#isBelowFloor(slot, entry)) return
    const length = store.heads.ints[slot * HEAD_WORDS + LENGTH]!
    const index = this.#placeFor(slot, entry)
    if (index < length && this.#isAt(slot, index, entry)) return
    this.#log.begin(owner, owner)
    if (length < store.capacity) this.#put(slot, index, entry, length)
    else this.#putIntoFull(slot, index, entry)
    this.#log.end()
  }

  remove(owner: number, position: TimelinePosition): void {
    const store = this.#store
    const slot = store.slotOf(owner) - 1
    if (slot < 0) return
    const head = slot * HEAD_WORDS
    const heads = store.heads.ints
    const index = store.countNewer(slot, position)
    if (index >= heads[head + LENGTH]! || !this.#isAt(slot, index, position)) return
    this.#touch(owner, () => this.#drop(slot, (i) => i === index))
  }

  removeOriginator(owner: number, originator: number): void {
    const store = this.#store
    const slot = store.slotOf(owner) - 1
    if (slot < 0) return
    const start = store.heads.ints[slot * HEAD_WORDS + START]!
    const isTheirs = (i: number) =>
      store.entries.ints[store.at(slot, start, i) + 3]! >>> 0 === originator
    this.#touch(owner, () => this.#drop(slot, isTheirs))
  }

  #put(slot: number, index: number, entry: TimelineEntry, length: number): void {
    const store = this.#store
    const head = slot * HEAD_WORDS
    this.#makeRoom(slot, index, length)
    store.heads.ints[head + LENGTH] = length + 1
    const start = store.heads.ints[head + START]!
    writeEntry(store.entries.ints, store.at(slot, start, index), entry)
  }

  /** Leaves out the oldest entry, or the new one if it is older still. */
  #putIntoFull(slot: number, index: number, entry: TimelineEntry): void {
    const store = this.#store
    const last = store.capacity - 1
    if (index > last) return this.#raiseFloor(slot, entry)
    const start = store.heads.ints[slot * HEAD_WORDS + START]!
    this.#raiseFloor(slot, readEntry(store.entries.ints, store.at(slot, start, last)))
    this.#put(slot, index, entry, last)
  }

  #raiseFloor(slot: number, left: TimelineEntry): void {
    const head = slot * HEAD_WORDS
    const heads = this.#store.heads.ints
    heads[head + TRUNCATED] = 1
    writeEntry(heads, head + FLOOR, left)
  }

  #isBelowFloor(slot: number, position: TimelinePosition): boolean {
    const head = slot * HEAD_WORDS
    const heads = this.#store.heads.ints
    return heads[head + TRUNCATED] === 1 && compareEntry(heads, head + FLOOR, position) >= 0
  }

  #touch(owner: number, change: () => void): void {
    this.#log.begin(owner, owner)
    change()
    this.#log.end()
  }

  /** Checks the common case first: newer than the newest. */
  #placeFor(slot: number, entry: TimelineEntry): number {
    const store = this.#store
    const head = slot * HEAD_WORDS
    const heads = store.heads.ints
    if (heads[head + LENGTH] === 0) return 0
    const newest = store.at(slot, heads[head + START]!, 0)
    return compareEntry(store.entries.ints, newest, entry) < 0 ? 0 : store.countNewer(slot, entry)
  }

  #isAt(slot: number, index: number, position: TimelinePosition): boolean {
    const store = this.#store
    const start = store.heads.ints[slot * HEAD_WORDS + START]!
    return compareEntry(store.entries.ints, store.at(slot, start, index), position) === 0
  }

  /** Frees `index` among the first `length` entries by moving those before or after it. */
  #makeRoom(slot: number, index: number, length: number): void {
    const store = this.#store
    const words = store.entries.ints
    const head = slot * HEAD_WORDS
    const start = store.heads.ints[head + START]!
    if (index > length - index) {
      for (let i = length; i > index; i--) {
        copyEntry(words, store.at(slot, start, i - 1), store.at(slot, start, i))
      }
      return
    }
    const stepped = start === 0 ? store.capacity - 1 : start - 1
    store.heads.ints[head + START] = stepped
    for (let i = 0; i < index; i++) {
      copyEntry(words, store.at(slot, stepped, i + 1), store.at(slot, stepped, i))
    }
  }

  /** Drops the entries whose index `isGone` accepts, closing gaps towards the newest. */
  #drop(slot: number, isGone: (index: number) => boolean): void {
    const store = this.#store
    const head = slot * HEAD_WORDS
    const heads = store.heads.ints
    const start = heads[head + START]!
    const length = heads[head + LENGTH]!
    let retained = 0
    for (let i = 0; i < length; i++) {
      if (isGone(i)) continue
      if (retained !== i) {
        copyEntry(store.entries.ints, store.at(slot, start, i), store.at(slot, start, retained))
      }
      retained++
    }
    heads[head + LENGTH] = retained
  }

  #slotFor(owner: number): number {
    const store = this.#store
    const known = store.slotOf(owner)
    if (known !== 0) return known - 1
    const slot = this.#free.pop() ?? this.#slotCount++
    store.slots.ensure(owner + 1)
    store.heads.ensure((slot + 1) * HEAD_WORDS)
    store.entries.ensure((slot + 1) * store.capacity * ENTRY_WORDS)
    store.slots.ints[owner] = slot + 1
    this.#openCount++
    return slot
  }
}

class RingsReader implements TimelineReader {
  readonly #store: RingStore
  readonly #log: ChangeLogReader

  constructor(handle: TimelinesHandle) {
    this.#store = new RingStore(handle)
    this.#log = new ChangeLogReader(handle.log)
  }

  isOpen(owner: number): boolean {
    const { slots } = this.#store
    if (owner >= slots.ints.length && !slots.refresh(owner + 1)) return false
    return this.#store.slotOf(owner) !== 0
  }

  read(
    owner: number,
    before: TimelinePosition | undefined,
    limit: number,
  ): TimelineSlice | undefined {
    for (let attempt = 0; ; attempt++) {
      const started = this.#log.start()
      const slice = this.#tryRead(owner, before, limit)
      if (this.#log.untouched(started, owner, UNREAD)) return slice
      this.#log.pause(attempt)
    }
  }

  /** May return garbage while the writer is at work, but terminates and stays within bounds. */
  #tryRead(
    owner: number,
    before: TimelinePosition | undefined,
    limit: number,
  ): TimelineSlice | undefined {
    if (!this.isOpen(owner)) return undefined
    const store = this.#store
    const slot = store.slotOf(owner) - 1
    if (slot < 0) return undefined
    const isThere =
      store.heads.refresh((slot + 1) * HEAD_WORDS) &&
      store.entries.refresh((slot + 1) * store.capacity * ENTRY_WORDS)
    return isThere ? readSlice(store, slot, before, limit) : undefined
  }
}

/**
 * The floor is the newest position ever left out: everything above it is here, so nothing at or
 * below it is taken. The newest entry is at the start: a newer one, the usual case, just moves the
 * start back by one. A late one moves the shorter side. A closed slot goes to the next owner.
 *
 * @param capacity - maximum number of entries per timeline
 * @param options.maxTimelines - open at once; by default what 8 GiB of address space hold, twice what Bun can reserve
 */
export function createTimelines(capacity: number, { maxTimelines = MAX_SLOTS } = {}): RingsWriter {
  assert(capacity > 0 && maxTimelines > 0, 'a timeline must hold something, and be open')
  return new RingsWriter(capacity, maxTimelines)
}

export function openTimelines(handle: TimelinesHandle): TimelineReader {
  return new RingsReader(handle)
}

function readSlice(
  store: RingStore,
  slot: number,
  before: TimelinePosition | undefined,
  limit: number,
): TimelineSlice {
  const heads = store.heads.ints
  const head = slot * HEAD_WORDS
  const start = Math.min(heads[head + START]!, store.capacity - 1)
  const length = Math.min(heads[head + LENGTH]!, store.capacity)
  let from = 0
  if (before) {
    from = store.countNewer(slot, before)
    const isItself =
      from < length && compareEntry(store.entries.ints, store.at(slot, start, from), before) === 0
    if (isItself) from++
  }
  const to = Math.min(length, from + limit)
  const entries: TimelineEntry[] = []
  for (let i = from; i < to; i++)
    entries.push(readEntry(store.entries.ints, store.at(slot, start, i)))
  return { entries, truncated: heads[head + TRUNCATED] === 1 }
}

export function newestFirst(a: TimelineEntry, b: TimelineEntry): number {
  return b.sortAt - a.sortAt || b.rank - a.rank || b.item - a.item
}

function isFirstOfPosition(entry: TimelineEntry, i: number, sorted: TimelineEntry[]): boolean {
  const previous = sorted[i - 1]
  return !previous || newestFirst(previous, entry) !== 0
}
