// An entry of a subject's list: sortAt, then the account, the record key as its distance in time, and
// createdAt if it is later. Keys other than the TIDs of ordinary servers (clock ids below 32, made within
// twelve days of sortAt) are written out.

import { microsOf, type PackedRkey } from '../../../base/atproto/keys.ts'
import { indexList, type ListIndex } from './delta-list.ts'
import { clockIdOf, type Edge, tidKey } from './edge.ts'
import { type Reader, readVarint, skipVarint, unzigzag, writeVarint, zigzag } from './varint.ts'

const CREATED_LATER = 1
const WRITTEN_OUT = 2
const FLAGS = 4
const CLOCK_IDS = 32
const FURTHEST_MICROS = 2 ** 40
const TID_BYTES = 8
/** Longer than any record key. */
const LONGEST_TAIL = 4096

const buffer = Buffer.allocUnsafe(LONGEST_TAIL)
const reader: Reader = { bytes: buffer, at: 0 }

export function indexEdges(bytes: Uint8Array, first: number): ListIndex {
  return indexList(bytes, first, skipTail)
}

/** Valid until the next call. */
export function edgeTail({ uid, rkey, sortAt, createdAt }: Omit<Edge, 'subject'>): Uint8Array {
  const isLater = createdAt > sortAt
  const flags = isLater ? CREATED_LATER : 0
  const near = nearKey(rkey, sortAt)
  let at = writeVarint(buffer, 0, uid)
  if (near === undefined) {
    at = writeVarint(buffer, at, flags | WRITTEN_OUT)
    at = writeKey(rkey, at)
  } else at = writeVarint(buffer, at, near * FLAGS + flags)
  if (isLater) at = writeVarint(buffer, at, createdAt - sortAt)
  return buffer.subarray(0, at)
}

export function edgeAt(
  bytes: Uint8Array,
  { keys, tails }: ListIndex,
  i: number,
): Omit<Edge, 'subject'> {
  reader.bytes = bytes
  reader.at = tails[i]!
  return readRest(readVarint(reader), keys[i]!)
}

/** Entries of an account between two times, both inclusive. One pass, without an index. */
export function edgesWithin(
  bytes: Uint8Array,
  first: number,
  { uid, from, until }: { uid: number; from: number; until: number },
): Omit<Edge, 'subject'>[] {
  const found: Omit<Edge, 'subject'>[] = []
  let sortAt = first
  reader.bytes = bytes
  reader.at = 0
  while (reader.at < bytes.length) {
    sortAt += readVarint(reader)
    if (sortAt > until) break
    if (readVarint(reader) === uid && sortAt >= from) found.push(readRest(uid, sortAt))
    else skipRest(reader)
  }
  return found
}

/** Entries of any of these accounts, at any time. */
export function edgesAmong(
  bytes: Uint8Array,
  first: number,
  uids: ReadonlySet<number>,
): Omit<Edge, 'subject'>[] {
  const found: Omit<Edge, 'subject'>[] = []
  let sortAt = first
  reader.bytes = bytes
  reader.at = 0
  while (reader.at < bytes.length) {
    sortAt += readVarint(reader)
    const uid = readVarint(reader)
    if (uids.has(uid)) found.push(readRest(uid, sortAt))
    else skipRest(reader)
  }
  return found
}

/** Appends the accounts of all entries that are wanted, in order. One pass, which reads nothing else. */
export function accountsIn(
  bytes: Uint8Array,
  isWanted: (uid: number) => boolean,
  found: number[],
): void {
  reader.bytes = bytes
  reader.at = 0
  while (reader.at < bytes.length) {
    skipVarint(reader)
    const uid = readVarint(reader)
    if (isWanted(uid)) found.push(uid)
    skipRest(reader)
  }
}

export function uidAt(bytes: Uint8Array, { tails }: ListIndex, i: number): number {
  reader.bytes = bytes
  reader.at = tails[i]!
  return readVarint(reader)
}

/** The place of the first entry that is not below this time and account. */
export function positionOf(
  bytes: Uint8Array,
  index: ListIndex,
  { sortAt, uid }: { sortAt: number; uid: number },
): number {
  let low = 0
  for (let high = index.count; low < high; ) {
    const middle = (low + high) >>> 1
    const key = index.keys[middle]!
    const isBelow = key < sortAt || (key === sortAt && uidAt(bytes, index, middle) < uid)
    if (isBelow) low = middle + 1
    else high = middle
  }
  return low
}

/** The key as one number, small for keys made at about that time; undefined for others. */
function nearKey(rkey: PackedRkey, sortAt: number): number | undefined {
  if (typeof rkey === 'string') return undefined
  const clockId = clockIdOf(rkey)
  const distance = microsOf(rkey) - sortAt * 1000
  if (clockId >= CLOCK_IDS || Math.abs(distance) >= FURTHEST_MICROS) return undefined
  return zigzag(distance) * CLOCK_IDS + clockId
}

function farKey(near: number, sortAt: number): Buffer {
  return tidKey(sortAt * 1000 + unzigzag(Math.floor(near / CLOCK_IDS)), near % CLOCK_IDS)
}

/** Reads the part after the account. */
function readRest(uid: number, sortAt: number): Omit<Edge, 'subject'> {
  const head = readVarint(reader)
  const rkey = head & WRITTEN_OUT ? readKey() : farKey(Math.floor(head / FLAGS), sortAt)
  const createdAt = head & CREATED_LATER ? sortAt + readVarint(reader) : sortAt
  return { uid, rkey, sortAt, createdAt }
}

/** A length of 0 means a TID, since no key is empty. */
function writeKey(rkey: PackedRkey, at: number): number {
  if (typeof rkey !== 'string') {
    buffer[at] = 0
    buffer.set(rkey, at + 1)
    return at + 1 + TID_BYTES
  }
  const start = writeVarint(buffer, at, Buffer.byteLength(rkey))
  return start + buffer.write(rkey, start)
}

function readKey(): PackedRkey {
  const length = readVarint(reader)
  const start = reader.at
  reader.at += length || TID_BYTES
  const key = Buffer.from(reader.bytes.subarray(start, reader.at))
  return length === 0 ? key : key.toString()
}

function skipTail(at: Reader): void {
  skipVarint(at)
  skipRest(at)
}

function skipRest(at: Reader): void {
  const flags = at.bytes[at.at]!
  skipVarint(at)
  if (flags & WRITTEN_OUT) {
    const length = readVarint(at)
    at.at += length || TID_BYTES
  }
  if (flags & CREATED_LATER) skipVarint(at)
}
