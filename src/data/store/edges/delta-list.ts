// A sorted list as bytes: each entry is the difference between its key and the previous one (for the first,
// the key that the list is stored under, which is no higher), and an independent tail. So entries are
// inserted and removed by moving bytes; only the next entry gets a new difference.

import { type Reader, readVarint, writeVarint } from './varint.ts'

/** The layout of one list. Shared, and overwritten by the next call of `indexList`. */
export type ListIndex = {
  count: number
  /** The key that the list is stored under. */
  first: number
  keys: Float64Array
  /** Start of each entry, then of its tail; `starts` has one more at the end of the list. */
  starts: Int32Array
  tails: Int32Array
}

/** Moves the reader past a tail. */
type SkipTail = (reader: Reader) => void

const LONGEST_VARINT = 8
const reader: Reader = { bytes: new Uint8Array(), at: 0 }
let index = newIndex(1024)
let buffer = Buffer.allocUnsafe(4096)

export function indexList(bytes: Uint8Array, first: number, skipTail: SkipTail): ListIndex {
  reader.bytes = bytes
  reader.at = 0
  let key = first
  let count = 0
  while (reader.at < bytes.length) {
    if (count + 1 >= index.starts.length) index = grown(index)
    index.starts[count] = reader.at
    key += readVarint(reader)
    index.keys[count] = key
    index.tails[count] = reader.at
    skipTail(reader)
    count++
  }
  index.starts[count] = bytes.length
  index.count = count
  index.first = first
  return index
}

/** The list with an entry inserted at `i`. `index` is the index of that list. */
export function withEntry(
  bytes: Uint8Array,
  { count, first, keys, starts, tails }: ListIndex,
  { i, key, tail }: { i: number; key: number; tail: Uint8Array },
): Buffer {
  if (buffer.length < bytes.length + tail.length + 2 * LONGEST_VARINT) {
    buffer = Buffer.allocUnsafe(2 * (bytes.length + tail.length))
  }
  const start = starts[i]!
  buffer.set(start === bytes.length ? bytes : bytes.subarray(0, start))
  let at = writeVarint(buffer, start, key - (i === 0 ? first : keys[i - 1]!))
  buffer.set(tail, at)
  at += tail.length
  if (i < count) at = copyFrom(bytes, { from: tails[i]!, at, delta: keys[i]! - key })
  return Buffer.from(buffer.subarray(0, at))
}

/** The list without the entry at `i`. */
export function withoutEntry(
  bytes: Uint8Array,
  { count, first, keys, starts, tails }: ListIndex,
  i: number,
): Buffer {
  if (i + 1 >= count) return Buffer.from(bytes.subarray(0, starts[i]!))
  if (buffer.length < bytes.length) buffer = Buffer.allocUnsafe(2 * bytes.length)
  const start = starts[i]!
  buffer.set(bytes.subarray(0, start))
  const delta = keys[i + 1]! - (i === 0 ? first : keys[i - 1]!)
  const at = copyFrom(bytes, { from: tails[i + 1]!, at: start, delta })
  return Buffer.from(buffer.subarray(0, at))
}

/** Both halves; the second begins with the entry at `i` and must be stored under its key. */
export function cutBefore(
  bytes: Uint8Array,
  { starts, tails }: ListIndex,
  i: number,
): [Buffer, Buffer] {
  const second = Buffer.allocUnsafe(bytes.length - tails[i]! + 1)
  second[0] = 0
  second.set(bytes.subarray(tails[i]!), 1)
  return [Buffer.from(bytes.subarray(0, starts[i]!)), second]
}

function copyFrom(
  bytes: Uint8Array,
  { from, at, delta }: { from: number; at: number; delta: number },
): number {
  const tail = writeVarint(buffer, at, delta)
  buffer.set(bytes.subarray(from), tail)
  return tail + bytes.length - from
}

function newIndex(capacity: number): ListIndex {
  return {
    count: 0,
    first: 0,
    keys: new Float64Array(capacity),
    starts: new Int32Array(capacity),
    tails: new Int32Array(capacity),
  }
}

function grown(old: ListIndex): ListIndex {
  const wider = newIndex(old.starts.length * 2)
  wider.keys.set(old.keys)
  wider.starts.set(old.starts)
  wider.tails.set(old.tails)
  return wider
}
