// Turns one row of a block into exactly the event that the live wire would have brought: same checks, same
// drop reasons.

import { hash } from 'node:crypto'
import { type Decoded, isDid, readAccountLevel, readCommit } from '@slipstream/jetstream'
import { decodeObject } from '../../../base/atproto/dag-cbor/decode.ts'
import { unpackCid } from '../../../base/atproto/keys.ts'
import { type BlockRows, ROW_KIND } from './block-rows.ts'

const TYPE = 'network.bsky.jetstream.subscribeEvents#'

const operations: { [kind: number]: 'create' | 'update' | 'delete' } = {
  [ROW_KIND.create]: 'create',
  [ROW_KIND.update]: 'update',
  [ROW_KIND.delete]: 'delete',
  [ROW_KIND.createAgain]: 'create',
}

const accountLevel: { [kind: number]: 'identity' | 'account' | 'sync' } = {
  [ROW_KIND.identity]: 'identity',
  [ROW_KIND.account]: 'account',
  [ROW_KIND.sync]: 'sync',
}

export function isCommitRow(kind: number): boolean {
  return operations[kind] !== undefined
}

/** The current row. `maxBytes`: larger records are left out, as on the live wire. */
export function readRow(rows: BlockRows, maxBytes: number): Decoded {
  const { did, seq, timeUs, kind } = rows
  if (!isDid(did)) return 'bad-did'
  if (!(seq > 0)) return 'bad-seq'
  if (!Number.isSafeInteger(timeUs) || timeUs < 0) return 'bad-time'
  if (rows.payloadBytes > maxBytes) return 'oversized'
  const operation = operations[kind]
  if (operation !== undefined) return readCommitRow(rows, operation, { did, seq, timeUs })
  const name = accountLevel[kind]
  if (name === undefined) return 'unknown-kind'
  const content = payloadOf(rows)
  if (typeof content === 'string') return content
  return readAccountLevel({ $type: TYPE + name, [name]: content }, did, timeUs, seq)
}

function readCommitRow(
  rows: BlockRows,
  operation: 'create' | 'update' | 'delete',
  { did, seq, timeUs }: { did: string; seq: number; timeUs: number },
): Decoded {
  const { rev, collection, rkey } = rows
  const key = { operation, rev, collection, rkey }
  if (operation === 'delete') return readCommit(key, did, timeUs, seq)
  const record = payloadOf(rows)
  if (typeof record === 'string') return record
  const { body, payloadAt, payloadBytes } = rows
  const digest = hash('sha256', body.subarray(payloadAt, payloadAt + payloadBytes), 'buffer')
  return readCommit({ ...key, cid: unpackCid(digest), record }, did, timeUs, seq)
}

function payloadOf({ body, payloadAt, payloadBytes }: BlockRows) {
  return decodeObject(body, payloadAt, payloadAt + payloadBytes)
}
