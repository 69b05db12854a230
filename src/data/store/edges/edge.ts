// One record by which an account points at a subject: creator, key, subject and time. Also the coarse times
// by which the two lists that hold it (edge-table.ts) find each other's entries.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { microsOf } from '../../../base/atproto/keys.ts'
import { fnv1a } from '../../../base/util/hash.ts'

export type Edge = {
  uid: number
  rkey: PackedRkey
  /** posts.id or actors.uid. */
  subject: number
  /** Milliseconds since 1970, negative before; not below `EARLIEST_MS`. */
  sortAt: number
  /** As the record claims; not before `sortAt`. */
  createdAt: number
}

/** Target of an entry in a creator's list: the subject and the approximate time. */
export type Pointer = {
  subject: number
  /** Of `sortAt`. */
  period: number
  /** Of the record key. */
  keyPeriod: number
  /** Of the record key, 0 to 255: accounts do many things in the same moment. */
  keyHash: number
}

/**
 * Four minutes: three bytes identify a period from 2020 to 2029 and, except for a few very famous
 * posts, all entries of one period are in one chunk.
 */
const PERIOD_MS = 2 ** 18
const FIRST_PERIOD = Math.floor(Date.parse('2025-01-01') / PERIOD_MS)
const TEXT_PERIODS = 2 ** 24

/** The year 0, where the times that a record can claim begin. */
export const EARLIEST_MS = -62_167_219_200_000

export function periodOf(ms: number): number {
  return Math.floor(ms / PERIOD_MS) - FIRST_PERIOD
}

/** The first millisecond of a period. */
export function periodStart(period: number): number {
  return (period + FIRST_PERIOD) * PERIOD_MS
}

/** Its last millisecond. */
export function periodEnd(period: number): number {
  return periodStart(period) + PERIOD_MS - 1
}

/** The period in which a TID was made; for any other key, a stable number of the same form. */
export function keyPeriodOf(rkey: PackedRkey): number {
  if (typeof rkey !== 'string') return periodOf(microsOf(rkey) / 1000)
  return (fnv1a(rkey) >>> 0) % TEXT_PERIODS
}

export function keyHashOf(rkey: PackedRkey): number {
  if (typeof rkey === 'string') return keyPeriodOf(rkey) & 255
  const mixed = Math.imul(
    rkey.readUInt32BE(0) ^ Math.imul(rkey.readUInt32BE(4), 0x9e3779b1),
    0x85ebca6b,
  )
  return mixed >>> 24
}

export function clockIdOf(rkey: Buffer): number {
  return rkey[7]! + (rkey[6]! & 3) * 256
}

export function tidKey(micros: number, clockId: number): Buffer {
  const rkey = Buffer.allocUnsafe(8)
  rkey.writeUInt32BE(Math.floor(micros / 2 ** 22), 0)
  rkey.writeUInt32BE(((micros % 2 ** 22) * 1024 + clockId) >>> 0, 4)
  return rkey
}

export function isSameKey(a: PackedRkey, b: PackedRkey): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b
  return a.equals(b)
}

/** Compares like SQLite: text before TIDs. */
export function compareKeys(a: PackedRkey, b: PackedRkey): number {
  if (typeof a === 'string')
    return typeof b === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : -1
  return typeof b === 'string' ? 1 : a.compare(b)
}
