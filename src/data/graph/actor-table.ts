// DID ⇄ uid in shared memory, and a few bits per account. `dids` holds four words per uid (did-words.ts),
// `table` is an open-addressing hash table of uids, `columns` holds flags and member followers in one integer
// per uid. The table of 2^k slots starts at offset 2^k, so a larger table never overlaps a smaller one, and
// the single number k tells readers where to look.

import {
  createSharedInts,
  type ImageChunk,
  ImageError,
  ImageReader,
  SharedInts,
  sealImage,
} from '@slipstream/follow-graph'
import { assert } from '../../base/util/assert.ts'
import {
  DID_WORDS,
  hashAt,
  isDidAt,
  isSameInHeap,
  packDid,
  packPlcBytes,
  storeInHeap,
  unpackDid,
} from './did-words.ts'
import { type ActorReader, type ActorWriter, CELEBRITY, HIDDEN } from './types.ts'

/** Cloneable: passed to a reading thread through `workerData` or a message. */
export type ActorTableHandle = {
  counts: SharedArrayBuffer
  dids: SharedArrayBuffer
  heap: SharedArrayBuffer
  table: SharedArrayBuffer
  columns: SharedArrayBuffer
}

const COUNT = 0
const TABLE_BITS = 1
/** Number of changes to CELEBRITY bits. */
const CELEBRITY_MOVES = 2
const HEAP_TOP = 3
const AUTHOR_MOVES = 4

/** Version of the format that `dump` writes; increment on every change. */
const IMAGE_VERSION = 1001
const FIRST_TABLE_BITS = 10
const MAX_LOAD = 0.7
const MAX_UID = 2 ** 28
const MAX_TABLE = 2 ** 30
const MAX_HEAP = 2 ** 30
/** Accounts whose slots are read ahead. */
const GROUP = 256
const FLAG_BITS = 8
const FLAG_MASK = (1 << FLAG_BITS) - 1
const MAX_MEMBER_FOLLOWERS = 2 ** (31 - FLAG_BITS) - 1

/** Look-ups, shared by readers and the writer. */
class ActorTableView implements ActorReader {
  protected readonly counts: Int32Array<SharedArrayBuffer>
  protected readonly dids: SharedInts
  protected readonly heap: SharedInts
  protected readonly table: SharedInts
  protected readonly columns: SharedInts
  readonly #packed = new Int32Array(DID_WORDS)
  #celebrities: { moves: number; uids: readonly number[] } = { moves: 0, uids: [] }

  constructor(handle: ActorTableHandle) {
    this.counts = new Int32Array(handle.counts)
    this.dids = new SharedInts(handle.dids)
    this.heap = new SharedInts(handle.heap)
    this.table = new SharedInts(handle.table)
    this.columns = new SharedInts(handle.columns)
  }

  get count(): number {
    return Atomics.load(this.counts, COUNT)
  }

  uidOf(did: string): number {
    const { isPlc, hash } = packDid(did, this.#packed)
    return this.#find(did, isPlc, hash)
  }

  uidOfPlc(bytes: Uint8Array, at: number): number {
    return this.#find('', true, packPlcBytes(bytes, at, this.#packed))
  }

  #find(did: string, isPlc: boolean, hash: number): number {
    for (;;) {
      const slot = this.slot(did, isPlc, hash)
      const uid = Atomics.load(this.table.ints, slot)
      // The slot may have been removed and given to another account meanwhile.
      if (uid === 0 || this.isAt(uid, did, isPlc)) return uid
    }
  }

  didOf(uid: number): string {
    assert(uid > 0 && uid <= this.count, `no account has uid ${uid}`)
    this.refresh(uid)
    return unpackDid(this.dids.ints, uid * DID_WORDS, this.heap.ints)
  }

  hashOf(uid: number): number {
    const at = uid * DID_WORDS
    if (at + DID_WORDS > this.dids.ints.length) this.refresh(uid)
    return hashAt(this.dids.ints, at)
  }

  flagsOf(uid: number): number {
    return this.column(uid) & FLAG_MASK
  }

  memberFollowersOf(uid: number): number {
    return this.column(uid) >>> FLAG_BITS
  }

  get authorMoves(): number {
    return Atomics.load(this.counts, AUTHOR_MOVES)
  }

  celebrities(): readonly number[] {
    // Read before the bits, so that concurrent changes are seen on the next call.
    const moves = Atomics.load(this.counts, CELEBRITY_MOVES)
    if (moves !== this.#celebrities.moves) {
      const uids: number[] = []
      for (let uid = 1; uid <= this.count; uid++) if (this.flagsOf(uid) & CELEBRITY) uids.push(uid)
      this.#celebrities = { moves, uids }
    }
    return this.#celebrities.uids
  }

  /** The slot in the table that holds the DID's uid, or would. */
  protected slot(did: string, isPlc: boolean, hash: number): number {
    const size = 2 ** Atomics.load(this.counts, TABLE_BITS)
    if (size * 2 > this.table.ints.length) this.table.refresh(size * 2)
    const table = this.table.ints
    for (let i = hash & (size - 1); ; i = (i + 1) & (size - 1)) {
      const uid = Atomics.load(table, size + i)
      if (uid === 0 || this.isAt(uid, did, isPlc)) return size + i
    }
  }

  protected isAt(uid: number, did: string, isPlc: boolean): boolean {
    const at = uid * DID_WORDS
    if (at + DID_WORDS > this.dids.ints.length) this.refresh(uid)
    const words = this.dids.ints
    if (!isPlc) {
      if (words[at] === -1) this.heap.refresh(Infinity)
      return isSameInHeap(did, words, at, this.heap.ints)
    }
    const packed = this.#packed
    return (
      words[at] === packed[0] &&
      words[at + 1] === packed[1] &&
      words[at + 2] === packed[2] &&
      words[at + 3] === packed[3]
    )
  }

  protected packedWords(): Int32Array {
    return this.#packed
  }

  protected column(uid: number): number {
    if (uid >= this.columns.ints.length) this.columns.refresh(uid + 1)
    return this.columns.ints[uid] ?? 0
  }

  protected refresh(uid: number): void {
    this.dids.refresh((uid + 1) * DID_WORDS)
    this.heap.refresh(Infinity)
  }
}

/**
 * Accounts are only added, so readers need no lock: a uid is stored in the table once its DID is in
 * place, with sequentially consistent operations on both sides. `truncate` removes the latest
 * accounts, newest first, which exactly undoes linear probing.
 */
class ActorTable extends ActorTableView implements ActorWriter {
  readonly handle: ActorTableHandle

  constructor(handle: ActorTableHandle) {
    super(handle)
    this.handle = handle
    if (this.counts[TABLE_BITS] !== 0) return
    this.table.ensure(2 ** (FIRST_TABLE_BITS + 1))
    this.counts[TABLE_BITS] = FIRST_TABLE_BITS
  }

  intern(did: string): number {
    const { isPlc, hash } = packDid(did, this.packedWords())
    const slot = this.slot(did, isPlc, hash)
    return this.table.ints[slot]! || this.#add(did, isPlc, slot)
  }

  truncate(count: number): void {
    for (let uid = this.count; uid > count; uid--) {
      const did = this.didOf(uid)
      const { isPlc, hash } = packDid(did, this.packedWords())
      Atomics.store(this.table.ints, this.slot(did, isPlc, hash), 0)
      this.columns.ints[uid] = 0
    }
    Atomics.store(this.counts, COUNT, Math.min(count, this.count))
  }

  setFlags(uid: number, flags: number): void {
    assert(flags >= 0 && flags <= FLAG_MASK, `flags ${flags} do not fit`)
    const moved = this.flagsOf(uid) ^ flags
    const followers = this.memberFollowersOf(uid)
    this.#setColumn(uid, followers, flags)
    if (moved & CELEBRITY) Atomics.add(this.counts, CELEBRITY_MOVES, 1)
    if (moved & HIDDEN && followers > 0) Atomics.add(this.counts, AUTHOR_MOVES, 1)
  }

  addMemberFollowers(uid: number, delta: number): void {
    const before = this.memberFollowersOf(uid)
    const followers = before + delta
    assert(
      followers >= 0 && followers <= MAX_MEMBER_FOLLOWERS,
      `uid ${uid}: ${followers} followers`,
    )
    this.#setColumn(uid, followers, this.flagsOf(uid))
    if (before === 0 && followers > 0) Atomics.add(this.counts, AUTHOR_MOVES, 1)
  }

  #setColumn(uid: number, followers: number, flags: number): void {
    assert(uid > 0 && uid <= this.count, `no account has uid ${uid}`)
    this.columns.ints[uid] = (followers << FLAG_BITS) | flags
  }

  /** Writes all of the account's data before its uid is stored in the table. */
  #add(did: string, isPlc: boolean, slot: number): number {
    const uid = this.count + 1
    assert(uid <= MAX_UID, 'there are more accounts than uids')
    this.dids.ensure((uid + 1) * DID_WORDS)
    this.columns.ensure(uid + 1)
    const words = this.dids.ints
    const at = uid * DID_WORDS
    if (isPlc) words.set(this.packedWords(), at)
    else {
      const top = this.counts[HEAP_TOP]!
      this.counts[HEAP_TOP] = storeInHeap(did, { words, at, heap: this.heap, top })
    }
    Atomics.store(this.counts, COUNT, uid)
    Atomics.store(this.table.ints, slot, uid)
    if (uid > MAX_LOAD * 2 ** this.counts[TABLE_BITS]!)
      this.#makeTable(this.counts[TABLE_BITS]! + 1)
    return uid
  }

  /**
   * An image of the accounts at the time of the call, in chunks of half a mebibyte: DIDs and uids,
   * no bits. Between two chunks, accounts may be added, but none of these may be removed.
   */
  dump(): Generator<ImageChunk> {
    const { count } = this
    const heapTop = this.counts[HEAP_TOP]!
    return sealImage(IMAGE_VERSION, [
      Int32Array.of(count, heapTop),
      this.dids.ints.subarray(DID_WORDS, (count + 1) * DID_WORDS),
      this.heap.ints.subarray(0, heapTop),
    ])
  }

  /** @throws ImageError; this table, which must be new, is then unusable. */
  load(chunks: Iterable<{ bytes: Uint8Array }>): void {
    assert(this.count === 0, 'an image is loaded into a new table')
    const image = new ImageReader(IMAGE_VERSION, chunks)
    const [count, heapTop] = [image.next(), image.next()]
    const fits = count >= 0 && count <= MAX_UID && heapTop >= 0 && heapTop <= MAX_HEAP
    if (!fits) throw new ImageError('there are too many accounts')
    this.dids.ensure((count + 1) * DID_WORDS)
    this.columns.ensure(count + 1)
    this.heap.ensure(heapTop)
    image.takeInto(this.dids.ints.subarray(DID_WORDS, (count + 1) * DID_WORDS))
    image.takeInto(this.heap.ints.subarray(0, heapTop))
    image.end()
    for (let uid = 1; uid <= count; uid++) {
      if (!isDidAt(this.dids.ints, uid * DID_WORDS, heapTop)) throw new ImageError('no DID')
    }
    this.counts[HEAP_TOP] = heapTop
    Atomics.store(this.counts, COUNT, count)
    this.#makeTable(Math.max(FIRST_TABLE_BITS, Math.ceil(Math.log2((count + 1) / MAX_LOAD))))
  }

  /** Builds a larger table of all accounts, which readers use from now on. */
  #makeTable(bits: number): void {
    const size = 2 ** bits
    this.table.ensure(size * 2)
    const table = this.table.ints
    const words = this.dids.ints
    const slots = new Int32Array(GROUP + 1)
    for (let first = 1; first <= this.count; first += GROUP) {
      const count = Math.min(GROUP, this.count - first + 1)
      for (let i = 0; i < count; i++) {
        slots[i] = hashAt(words, (first + i) * DID_WORDS) & (size - 1)
      }
      // Reads ahead, so that the processor fetches the slots side by side, as in adjacency.ts.
      let sum = 0
      for (let i = 0; i < count; i++) sum = (sum + table[size + slots[i]!]!) | 0
      slots[GROUP] = sum
      for (let i = 0; i < count; i++) {
        let slot = slots[i]!
        while (table[size + slot] !== 0) slot = (slot + 1) & (size - 1)
        table[size + slot] = first + i
      }
    }
    Atomics.store(this.counts, TABLE_BITS, bits)
  }
}

export type { ActorTable }

/**
 * Loads the accounts of an image made by `dump`, with the same uids.
 * @param handle - of an empty table; if loading fails, it is unusable
 * @throws ImageError if the image is torn, foreign, or of another build
 */
export function loadActorTable(
  chunks: Iterable<{ bytes: Uint8Array }>,
  handle: ActorTableHandle = reserveActorTable(),
): ActorTable {
  const table = new ActorTable(handle)
  table.load(chunks)
  return table
}

/** @param handle - may be of a table that another thread filled and no longer writes to */
export function createActorTable(handle: ActorTableHandle = reserveActorTable()): ActorTable {
  return new ActorTable(handle)
}

export function reserveActorTable(): ActorTableHandle {
  return {
    counts: new SharedArrayBuffer(64),
    dids: createSharedInts(MAX_UID * DID_WORDS).buffer,
    heap: createSharedInts(MAX_HEAP).buffer,
    table: createSharedInts(MAX_TABLE).buffer,
    columns: createSharedInts(MAX_UID + 1).buffer,
  }
}

export function openActorTable(handle: ActorTableHandle): ActorReader {
  return new ActorTableView(handle)
}
