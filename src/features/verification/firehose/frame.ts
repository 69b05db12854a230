// One frame of com.atproto.sync.subscribeRepos: two DAG-CBOR objects, a header and the message. Checked for its
// form only; what a commit says is verified by its blocks (commit.ts). Never throws on outside data.
// Lexicon: https://github.com/bluesky-social/atproto/blob/main/lexicons/com/atproto/sync/subscribeRepos.json

import {
  type AccountStatus,
  type DropReason,
  isDid,
  isNsid,
  isRkey,
  isTid,
  type Notice,
  parseTimeUs,
  readHandle,
  readStatus,
} from '@slipstream/jetstream'
import { decodeObjects } from '../../../base/atproto/dag-cbor/decode.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'

/** CIDs are their 36 bytes as latin1 text. */
export type RepoOp = {
  action: 'create' | 'update' | 'delete'
  collection: string
  rkey: string
  /** undefined: deleted. */
  cid: string | undefined
  /** What the key had before, if the host says so. */
  prev: string | undefined
}

type FrameBase = { did: string; seq: number; timeUs: number }

export type CommitFrame = FrameBase & {
  kind: 'commit'
  rev: string
  commit: string
  /** The root of the tree before; undefined from hosts that know only sync 1.0. */
  prevData: string | undefined
  /** Too large to be sent: the repository must be compared with its server. */
  isTooBig: boolean
  ops: RepoOp[]
  blocks: Buffer
}
export type SyncFrame = FrameBase & { kind: 'sync'; rev: string; blocks: Buffer }
export type AccountFrame = FrameBase & {
  kind: 'account'
  active: boolean
  status: AccountStatus | undefined
}
export type RepoFrame =
  | CommitFrame
  | SyncFrame
  | AccountFrame
  | (FrameBase & { kind: 'identity'; handle: string | undefined })

/** By the specification. */
const MAX_OPS = 200
const ACTIONS: ReadonlySet<unknown> = new Set(['create', 'update', 'delete'])

export function decodeFrame(frame: Buffer): RepoFrame | Notice | DropReason {
  const values = decodeObjects(frame, { from: 0, to: frame.length, count: 2, raw: true })
  if (typeof values === 'string') return values
  const [header, body] = values as [JsonObject, JsonObject]
  if (header['op'] === -1) return noticeOf('error', body['error'], body['message'])
  if (header['op'] !== 1) return 'unknown-frame'
  if (header['t'] === '#info') return noticeOf('info', body['name'], body['message'])
  return readMessage(header['t'], body)
}

function readMessage(type: unknown, body: JsonObject): RepoFrame | DropReason {
  const did = type === '#commit' ? body['repo'] : body['did']
  const seq = body['seq']
  if (!isDid(did)) return 'bad-did'
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0) return 'bad-seq'
  const timeUs = parseTimeUs(body['time'])
  if (timeUs === undefined) return 'bad-time'
  const base = { did, seq, timeUs }
  switch (type) {
    case '#commit':
      return readCommit(body, base)
    case '#sync':
      return readSync(body, base)
    case '#identity':
      return { ...base, kind: 'identity', handle: readHandle(body['handle']) }
    case '#account':
      return readAccount(body, base)
  }
  return 'unknown-kind'
}

function readCommit(body: JsonObject, base: FrameBase): CommitFrame | DropReason {
  const { rev, commit, blocks, ops, prevData, tooBig } = body
  if (!isTid(rev)) return 'bad-rev'
  if (typeof commit !== 'string') return 'bad-cid'
  if (!Buffer.isBuffer(blocks)) return 'bad-record'
  if (!Array.isArray(ops) || ops.length > MAX_OPS) return 'bad-operation'
  const read = ops.map(readOp)
  const unfit = read.find((op) => typeof op === 'string')
  if (unfit !== undefined) return unfit
  return {
    ...base,
    kind: 'commit',
    rev,
    commit,
    prevData: typeof prevData === 'string' ? prevData : undefined,
    isTooBig: tooBig === true,
    ops: read as RepoOp[],
    blocks,
  }
}

function readOp(op: JsonObject): RepoOp | DropReason {
  const { action, path, cid, prev } = op
  if (!ACTIONS.has(action) || typeof path !== 'string') return 'bad-operation'
  const slash = path.indexOf('/')
  const [collection, rkey] = [path.slice(0, slash), path.slice(slash + 1)]
  if (slash < 0 || !isNsid(collection)) return 'bad-collection'
  if (!isRkey(rkey)) return 'bad-rkey'
  const isDeleted = action === 'delete'
  if (isDeleted !== (cid === null) || !(isDeleted || typeof cid === 'string')) return 'bad-cid'
  return {
    action: action as RepoOp['action'],
    collection,
    rkey,
    cid: isDeleted ? undefined : (cid as string),
    prev: typeof prev === 'string' ? prev : undefined,
  }
}

function readSync({ rev, blocks }: JsonObject, base: FrameBase): SyncFrame | DropReason {
  if (!isTid(rev) || !Buffer.isBuffer(blocks)) return 'bad-sync'
  return { ...base, kind: 'sync', rev, blocks }
}

function readAccount({ active, status }: JsonObject, base: FrameBase): RepoFrame | DropReason {
  if (typeof active !== 'boolean') return 'bad-account'
  return { ...base, kind: 'account', active, status: readStatus(active, status) }
}

function noticeOf(notice: Notice['notice'], name: unknown, message: unknown): Notice | DropReason {
  if (typeof name !== 'string') return 'unknown-frame'
  const text = typeof message === 'string' ? message.slice(0, 500) : ''
  return { notice, name: name.slice(0, 100), message: text }
}
