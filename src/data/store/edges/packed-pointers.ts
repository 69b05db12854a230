// All of a creator's pointers, as columns: a list may have a hundred thousand, of which a page needs a few dozen, and
// making an object of each would be most of its work.

import type { CreatorChunk } from './chunk.ts'
import { readTail } from './creator-entries.ts'
import type { Pointer } from './edge.ts'
import { type Reader, readVarint } from './varint.ts'

/** Ascending by subject. */
export type PackedPointers = {
  readonly subjects: Float64Array
  readonly periods: Int32Array
  at(i: number): Pointer
}

type Tail = Omit<Pointer, 'subject'>

const NONE = new Uint8Array()
/** An entry takes at least a byte for each of subject, hash and period. */
const LEAST_BYTES = 3

export function packPointers(
  chunks: readonly Pick<CreatorChunk, 'first' | 'bytes'>[],
): PackedPointers {
  const most = chunks.reduce((sum, { bytes }) => sum + Math.ceil(bytes.length / LEAST_BYTES), 0)
  const subjects = new Float64Array(most)
  const periods = new Int32Array(most)
  const keyPeriods = new Int32Array(most)
  const keyHashes = new Uint8Array(most)
  const reader: Reader & Tail = { bytes: NONE, at: 0, keyHash: 0, period: 0, keyPeriod: 0 }
  let count = 0
  for (const { first, bytes } of chunks) {
    reader.bytes = bytes
    reader.at = 0
    for (let subject = first; reader.at < bytes.length; count++) {
      subject += readVarint(reader)
      readTail(reader)
      subjects[count] = subject
      periods[count] = reader.period
      keyPeriods[count] = reader.keyPeriod
      keyHashes[count] = reader.keyHash
    }
  }
  return {
    subjects: subjects.subarray(0, count),
    periods: periods.subarray(0, count),
    at: (i) => ({
      subject: subjects[i]!,
      period: periods[i]!,
      keyPeriod: keyPeriods[i]!,
      keyHash: keyHashes[i]!,
    }),
  }
}
