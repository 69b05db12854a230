// An entry of a creator's list: subject, then a byte that tells record keys apart, the period of sortAt, and
// that of the record key if it differs.

import type { CreatorChunk } from './chunk.ts'
import { indexList, type ListIndex } from './delta-list.ts'
import type { Pointer } from './edge.ts'
import { type Reader, readVarint, skipVarint, unzigzag, writeVarint, zigzag } from './varint.ts'

type Tail = Omit<Pointer, 'subject'>

const buffer = Buffer.allocUnsafe(32)
const reader = { bytes: buffer as Uint8Array, at: 0, keyHash: 0, period: 0, keyPeriod: 0 }

export function indexPointers(bytes: Uint8Array, first: number): ListIndex {
  return indexList(bytes, first, skipTail)
}

/** Valid until the next call. */
export function pointerTail({ period, keyPeriod, keyHash }: Pointer): Uint8Array {
  const isOther = keyPeriod !== period
  buffer[0] = keyHash
  let at = writeVarint(buffer, 1, zigzag(period) * 2 + (isOther ? 1 : 0))
  if (isOther) at = writeVarint(buffer, at, zigzag(keyPeriod - period))
  return buffer.subarray(0, at)
}

export function pointerAt(bytes: Uint8Array, { keys, tails }: ListIndex, i: number): Pointer {
  reader.bytes = bytes
  reader.at = tails[i]!
  return readPointer(keys[i]!)
}

/** Reads every entry, in order; what `found` is told holds until it returns, and it must read no other list. */
export function eachPointer(
  { bytes, first }: Pick<CreatorChunk, 'bytes' | 'first'>,
  found: (subject: number, tail: Readonly<Tail>) => void,
): void {
  let subject = first
  reader.bytes = bytes
  reader.at = 0
  while (reader.at < bytes.length) {
    subject += readVarint(reader)
    readTail()
    found(subject, reader)
  }
}

/**
 * Entries for any of these subjects, which must be ascending and distinct; at most so many. One
 * pass, without an index: most entries are read no further than their subject.
 */
export function pointersAmong(
  bytes: Uint8Array,
  first: number,
  subjects: readonly number[],
  most = Infinity,
): Pointer[] {
  const found: Pointer[] = []
  let subject = first
  let i = 0
  reader.bytes = bytes
  reader.at = 0
  while (reader.at < bytes.length && found.length < most) {
    subject += readVarint(reader)
    while (i < subjects.length && subjects[i]! < subject) i++
    if (i === subjects.length) break
    if (subjects[i] === subject) found.push(readPointer(subject))
    else skipTail(reader)
  }
  return found
}

/**
 * Entries whose record key may have this period and hash. One pass, like the above: a list may have hundreds
 * of chunks with such a period.
 */
export function pointersOfKey(
  bytes: Uint8Array,
  first: number,
  { keyPeriod, keyHash }: Pick<Pointer, 'keyPeriod' | 'keyHash'>,
): Pointer[] {
  const found: Pointer[] = []
  let subject = first
  reader.bytes = bytes
  reader.at = 0
  while (reader.at < bytes.length) {
    subject += readVarint(reader)
    if (bytes[reader.at] !== keyHash) {
      skipTail(reader)
      continue
    }
    const pointer = readPointer(subject)
    if (pointer.keyPeriod === keyPeriod) found.push(pointer)
  }
  return found
}

/** The place of the first entry that is not below this subject. */
export function positionOf({ count, keys }: ListIndex, subject: number): number {
  let low = 0
  for (let high = count; low < high; ) {
    const middle = (low + high) >>> 1
    if (keys[middle]! < subject) low = middle + 1
    else high = middle
  }
  return low
}

function readPointer(subject: number): Pointer {
  readTail()
  const { period, keyPeriod, keyHash } = reader
  return { subject, period, keyPeriod, keyHash }
}

/** Reads what follows an entry's subject. */
function readTail(): void {
  reader.keyHash = reader.bytes[reader.at++]!
  const head = readVarint(reader)
  reader.period = unzigzag(Math.floor(head / 2))
  reader.keyPeriod = head % 2 === 0 ? reader.period : reader.period + unzigzag(readVarint(reader))
}

function skipTail(at: Reader): void {
  at.at++
  const isOther = at.bytes[at.at]! & 1
  skipVarint(at)
  if (isOther) skipVarint(at)
}
