// The part of a commit that is the same on both wires: checked and turned into an event.

import type { AccountStatus, CommitEvent } from '../event.ts'
import type { DropReason } from './decoded.ts'
import { isNsid, isObject, isRecordCid, isRkey, isTid, type JsonObject } from './syntax.ts'

/** `commit` has operation, rev, collection, rkey and, except for deletions, cid and record. */
export function readCommit(
  commit: JsonObject,
  did: string,
  timeUs: number,
  seq: number | undefined,
): CommitEvent | DropReason {
  const { operation, rev, collection, rkey, cid, record } = commit
  if (!isTid(rev)) return 'bad-rev'
  if (!isNsid(collection)) return 'bad-collection'
  if (!isRkey(rkey)) return 'bad-rkey'
  if (operation === 'delete') {
    return { did, timeUs, seq, kind: 'commit', operation, rev, collection, rkey }
  }
  if (operation !== 'create' && operation !== 'update') return 'bad-operation'
  if (!isRecordCid(cid)) return 'bad-cid'
  if (!isObject(record)) return 'bad-record'
  return { did, timeUs, seq, kind: 'commit', operation, rev, collection, rkey, cid, record }
}

const statuses: ReadonlySet<unknown> = new Set<AccountStatus>([
  'deactivated',
  'suspended',
  'takendown',
  'deleted',
  'desynchronized',
  'throttled',
])

/** The status of an inactive account; an unknown or missing status hides it until it is active. */
export function readStatus(active: boolean, status: unknown): AccountStatus | undefined {
  if (active) return undefined
  return statuses.has(status) ? (status as AccountStatus) : 'deactivated'
}

/** As claimed; only its size is checked here. */
export function readHandle(handle: unknown): string | undefined {
  return typeof handle === 'string' && handle.length <= 253 ? handle : undefined
}
