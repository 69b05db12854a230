// One frame of com.atproto.label.subscribeLabels: two CBOR values, header and body, in one message.
// https://atproto.com/specs/event-stream#framing

import { decodeAll } from '@atproto/lex-cbor'
import { isObject } from '../../base/util/json-object.ts'
import { isWithinBounds } from './cbor-bounds.ts'

type LabelFrame =
  | { kind: 'labels'; seq: number; labels: unknown[] }
  /** The server closes the stream: `FutureCursor` and the like. */
  | { kind: 'error'; error: string }
  /** `OutdatedCursor`: labels after the cursor are no longer sent. */
  | { kind: 'info'; name: string }
  /** Frames that we do not need: unknown kinds. */
  | { kind: 'other' }

/** A label has about ten values, all flat. */
const VALUES_A_LABEL = 32
const MAX_DEPTH = 8

/** Whether decoding is worthwhile: no more values than `maxLabels` labels have, and no deeper. */
export function isDecodable(data: Uint8Array, maxLabels: number): boolean {
  const maxItems = (maxLabels + 1) * VALUES_A_LABEL
  return isWithinBounds(data, { maxItems, maxDepth: MAX_DEPTH })
}

/** @returns undefined if the data is not a frame. */
export function decodeFrame(data: Uint8Array): LabelFrame | undefined {
  const [header, body] = readValues(data)
  if (!isObject(header) || !isObject(body)) return undefined
  const { op, t } = header
  if (op === -1) return { kind: 'error', error: nameOf(body['error']) }
  if (op !== 1) return undefined
  if (t === '#info') return { kind: 'info', name: nameOf(body['name']) }
  if (t !== '#labels') return { kind: 'other' }
  const { seq, labels } = body
  const isSeq = typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0
  return isSeq && Array.isArray(labels) ? { kind: 'labels', seq, labels } : undefined
}

/** A non-string may be an object whose `toString` is a number, so it can't become a string. */
function nameOf(error: unknown): string {
  return typeof error === 'string' ? error.slice(0, 100) : ''
}

function readValues(data: Uint8Array): unknown[] {
  const values: unknown[] = []
  try {
    for (const value of decodeAll(data)) {
      values.push(value)
      if (values.length > 2) return []
    }
  } catch {
    return []
  }
  return values
}
