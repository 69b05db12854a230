// Converts fields of records to fields of views. Records were validated on ingest; values that still do not
// fit a view's lexicon become undefined, which omits the field.

import type { AppBskyEmbedDefs } from '@atproto/api'
import { isoTime } from '../../base/util/iso-time.ts'

/** Clients may validate with an older lexicon validator, which refuses the years 000x. */
const FIRST_MS = Date.parse('0010-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

const CID = /^[A-Za-z0-9]{46,128}$/

/**
 * Formats milliseconds as a datetime; uses the nearest valid one if the year does not have four
 * digits.
 */
export function datetime(ms: number): string {
  return isoTime(Math.min(Math.max(ms, FIRST_MS), LAST_MS))
}

/** Returns the CID of a blob reference in a record's JSON, current or legacy. */
export function blobCid(blob: unknown): string | undefined {
  const { ref, cid: legacy } = (blob ?? {}) as { ref?: { $link?: unknown }; cid?: unknown }
  const cid = ref?.$link ?? legacy
  return typeof cid === 'string' && CID.test(cid) ? cid : undefined
}

export function aspectRatio(value: unknown): AppBskyEmbedDefs.AspectRatio | undefined {
  const { width, height } = (value ?? {}) as { width?: unknown; height?: unknown }
  if (!isPositiveInteger(width) || !isPositiveInteger(height)) return undefined
  return { width, height }
}

/** Whether a value of an open union is this member of it. */
export function hasType<T extends { $type?: string }>(
  value: unknown,
  type: NonNullable<T['$type']>,
): value is T {
  return typeof value === 'object' && value !== null && '$type' in value && value.$type === type
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isPositiveInteger(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0
}
