// All of a creator's pointers, as columns: a list may have a hundred thousand, of which a page needs a few dozen, and
// making an object of each would be most of its work.

import type { CreatorChunk } from './chunk.ts'
import { eachPointer } from './creator-entries.ts'
import type { Pointer } from './edge.ts'

/** Ascending by subject. */
export type PackedPointers = {
  readonly subjects: Float64Array
  readonly periods: Int32Array
  at(i: number): Pointer
}

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
  let count = 0
  const put: Parameters<typeof eachPointer>[1] = (subject, { period, keyPeriod, keyHash }) => {
    subjects[count] = subject
    periods[count] = period
    keyPeriods[count] = keyPeriod
    keyHashes[count] = keyHash
    count++
  }
  for (const chunk of chunks) eachPointer(chunk, put)
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
