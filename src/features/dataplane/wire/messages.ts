// Small parts of answers: times, records and limits on requests.

import type { MessageInitShape } from '@bufbuild/protobuf'
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { ServiceImpl } from '@connectrpc/connect'
import { Code, ConnectError } from '@connectrpc/connect'
import type { RecordSchema, Service } from '../generated/bsky-pb.ts'
import type { UriKey } from './keys.ts'

export type Rpcs = Partial<ServiceImpl<typeof Service>>
export type RecordInit = MessageInitShape<typeof RecordSchema>

/** Times in milliseconds. `indexedAt` defaults to `sortAt`, `createdAt` to the record's own. */
type RecordFacts = {
  json: string | Uint8Array
  cid: string
  sortAt: number
  createdAt?: number | null | undefined
  indexedAt?: number | null | undefined
}

/** A missing record, as the reference encodes it: JSON's null. */
export const NO_RECORD: RecordInit = { record: Buffer.from('null') }

const DEFAULT_PAGE = 50
const MAX_PAGE = 1_000
/** Limits of one call's request and answer. */
export const MAX_REQUESTED_BYTES = 4 << 20
export const MAX_ANSWERED_BYTES = 64 << 20
/** Items per call; the frontend asks for some thousands in a big thread. */
const MAX_REQUESTED = 10_000

export function toRecord(facts: RecordFacts): RecordInit {
  const { json, cid, sortAt, indexedAt } = facts
  const createdAt = facts.createdAt === undefined ? createdAtIn(json) : facts.createdAt
  return {
    record: typeof json === 'string' ? Buffer.from(json) : json,
    cid,
    ...(createdAt !== null && { createdAt: timestamp(createdAt) }),
    indexedAt: timestamp(indexedAt ?? sortAt),
    sortedAt: timestamp(sortAt),
  }
}

/** Returns null if `createdAt` is missing or no valid time. */
function createdAtIn(json: string | Uint8Array): number | null {
  const reported: unknown = JSON.parse(json.toString())?.createdAt
  const ms = typeof reported === 'string' ? Date.parse(reported) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}

export function timestamp(ms: number): Timestamp {
  return timestampFromMs(ms)
}

/** A limit of 0 means the maximum. */
export function pageSize(limit: number): number {
  return limit > 0 ? Math.min(limit, MAX_PAGE) : limit === 0 ? MAX_PAGE : DEFAULT_PAGE
}

export function cursorOf(cursor: string | undefined): string | undefined {
  return cursor === '' ? undefined : cursor
}

/** @throws ConnectError if there are more items than one call allows. */
export function bounded<T>(requested: readonly T[]): readonly T[] {
  if (requested.length <= MAX_REQUESTED) return requested
  throw new ConnectError(`no more than ${MAX_REQUESTED} at a time`, Code.InvalidArgument)
}

export function tooLarge(): ConnectError {
  return new ConnectError('the answer is too large', Code.ResourceExhausted)
}

/** Keyed by at-URI, without keys that have no record. */
export function byPosition(
  keys: readonly UriKey[],
  recordOf: (key: UriKey) => RecordInit | undefined,
): Map<string, RecordInit> {
  const found = new Map<string, RecordInit>()
  for (const key of keys) {
    const record = recordOf(key)
    if (record) found.set(key.uri, record)
  }
  return found
}
