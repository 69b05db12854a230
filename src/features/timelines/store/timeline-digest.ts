// The key of a timeline as stored with reading positions: a merge of lists may be 4 kB long.

import { hash } from 'node:crypto'

const BYTES = 16

export function timelineDigest(key: string): Buffer {
  return hash('sha256', key, 'buffer').subarray(0, BYTES)
}
