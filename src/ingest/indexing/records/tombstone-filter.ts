// Nearly every created record has no tombstone, and asking SQLite each time would cost as much as the
// insertion. This Bloom filter (three bits of 2^23) answers "certainly not" for most of them. It only grows;
// rebuilding it from rows, at start or when it fills up, restores its precision.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { fnv1a } from '../../../base/util/hash.ts'
import type { Db } from '../../../data/store/db.ts'
import { iterateTombstoneKeys, type RecordKey } from '../../../data/store/records/tombstones.ts'

const BITS = 2 ** 23
const MAX_KEYS = BITS / 6

export type TombstoneFilter = {
  mayHold(key: RecordKey): boolean
  add(key: RecordKey): void
}

export function createTombstoneFilter(db: Db): TombstoneFilter {
  const words = new Uint32Array(BITS / 32)
  let keys = 0
  let isFull = false

  function add(key: RecordKey): void {
    let hash = hashOf(key)
    for (let i = 0; i < 3; i++, hash = next(hash)) {
      words[(hash >>> 5) % words.length]! |= 1 << (hash & 31)
    }
    isFull = ++keys > MAX_KEYS
  }

  function mayHold(key: RecordKey): boolean {
    if (isFull) return true
    let hash = hashOf(key)
    for (let i = 0; i < 3; i++, hash = next(hash)) {
      if ((words[(hash >>> 5) % words.length]! & (1 << (hash & 31))) === 0) return false
    }
    return true
  }

  for (const key of iterateTombstoneKeys(db)) add(key)
  return { add, mayHold }
}

function hashOf({ uid, collection, rkey }: RecordKey): number {
  return next(Math.imul(uid, 0x9e3779b1) ^ Math.imul(collection, 0x85ebca6b) ^ hashRkey(rkey))
}

function hashRkey(rkey: PackedRkey): number {
  if (typeof rkey !== 'string') {
    return Math.imul(rkey.readUInt32BE(0), 0xc2b2ae35) ^ Math.imul(rkey.readUInt32BE(4), 0x27d4eb2f)
  }
  return fnv1a(rkey)
}

/** Mixing step: returns the next of several independent hashes. */
function next(hash: number): number {
  let mixed = (hash + 0x6d2b79f5) | 0
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return (mixed ^ (mixed >>> 15)) >>> 0
}
