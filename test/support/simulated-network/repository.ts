// One simulated account and its repository: records by collection and key, with real CIDs and increasing
// TIDs, so that the PDS's answers agree with the stream.

import { createHash } from 'node:crypto'
import { encode } from '@atproto/lex-cbor'
import { jsonToLex } from '@atproto/lex-json'
import { unpackCid } from '../../../src/base/atproto/keys.ts'

export type SimulatedRecord = { rkey: string; cid: string; value: Record<string, unknown> }

export type Commit = {
  kind: 'commit'
  did: string
  rev: string
  collection: string
  rkey: string
} & (
  | { operation: 'create' | 'update'; cid: string; record: Record<string, unknown> }
  | { operation: 'delete' }
)

/** Account and identity events of the stream. */
export type AccountEvent = { did: string } & (
  | { kind: 'identity'; handle: string }
  | { kind: 'account'; active: boolean; status?: AccountState }
)

/** Announces a repository anew. */
export type SyncEvent = { kind: 'sync'; did: string; rev: string }

export type AccountState = 'deactivated' | 'deleted'

export type Repository = {
  readonly did: string
  readonly handle: string
  readonly collections: ReadonlyMap<string, ReadonlyMap<string, SimulatedRecord>>
  put(write: {
    collection: string
    value: Record<string, unknown>
    rkey?: string
    atMs: number
  }): Commit
  remove(collection: string, rkey: string, atMs: number): Commit | undefined
}

/** A repository whose owner may also move or leave. */
export type SimulatedAccount = Repository & {
  /** undefined while the account is active. */
  readonly state: AccountState | undefined
  /** Revision of the last write. */
  readonly rev: string
  rename(handle: string): AccountEvent
  /** `deleted` removes every record, and is final. */
  setState(state: AccountState | undefined): AccountEvent
}

const TID_ALPHABET = '234567abcdefghijklmnopqrstuvwxyz'

export function createRepository(account: {
  did: string
  handle: string
  clockId: number
}): SimulatedAccount {
  const { did, clockId } = account
  const collections = new Map<string, Map<string, SimulatedRecord>>()
  let { handle } = account
  let state: AccountState | undefined
  let lastUs = 0

  function nextTid(atMs: number): string {
    lastUs = Math.max(lastUs + 1, atMs * 1000)
    return tid(lastUs, clockId)
  }

  return {
    did,
    collections,
    get handle() {
      return handle
    },
    get state() {
      return state
    },
    get rev() {
      return tid(lastUs, clockId)
    },
    put: ({ collection, value, rkey, atMs }) => {
      const rev = nextTid(atMs)
      const records = collections.get(collection) ?? new Map<string, SimulatedRecord>()
      collections.set(collection, records)
      const key = rkey ?? rev
      const record = { $type: collection, ...value }
      const operation = records.has(key) ? 'update' : 'create'
      const cid = cidOf(record)
      records.set(key, { rkey: key, cid, value: record })
      return {
        kind: 'commit',
        did,
        rev,
        collection,
        rkey: key,
        operation,
        cid,
        record,
      }
    },
    remove: (collection, rkey, atMs) => {
      if (!collections.get(collection)?.delete(rkey)) return undefined
      const rev = nextTid(atMs)
      return { kind: 'commit', did, rev, collection, rkey, operation: 'delete' }
    },
    rename: (to) => {
      handle = to
      return { kind: 'identity', did, handle }
    },
    setState: (to) => {
      state = to
      if (to === 'deleted') collections.clear()
      return { kind: 'account', did, active: to === undefined, ...(to && { status: to }) }
    },
  }
}

/** The CID a PDS would give: CIDv1 of the record's DAG-CBOR, sha-256. */
export function cidOf(record: Record<string, unknown>): string {
  const bytes = encode(jsonToLex(record as never))
  return unpackCid(createHash('sha256').update(bytes).digest())
}

/** https://atproto.com/specs/tid */
export function tid(timestampUs: number, clockId: number): string {
  let value = BigInt(timestampUs) * 1024n + BigInt(clockId % 1024)
  let text = ''
  for (let i = 0; i < 13; i++) {
    text = TID_ALPHABET[Number(value % 32n)]! + text
    value /= 32n
  }
  return text
}
