// One frame of the v2 wire, parsed: an xrpc.v1.json message or error frame whose payload is one of
// the types of network.bsky.jetstream.subscribeEvents.

import { readCommit, readHandle, readStatus } from './commit.ts'
import type { Decoded, Notice } from './decoded.ts'
import { isDid, isObject, isPositive, isTid, type JsonObject, parseTimeUs } from './syntax.ts'

const TYPE = 'network.bsky.jetstream.subscribeEvents#'

export function decodeV2(frame: unknown): Decoded {
  if (!isObject(frame)) return 'unknown-frame'
  if (frame.$type === 'error') return readNotice('error', frame.error, frame.message)
  if (frame.$type !== 'message' || !isObject(frame.payload)) return 'unknown-frame'
  const { payload } = frame
  const { $type, seq, did } = payload
  if ($type === `${TYPE}info`) return readNotice('info', payload.name, payload.message)
  if (!isDid(did)) return 'bad-did'
  if (!isPositive(seq)) return 'bad-seq'
  const timeUs = parseTimeUs(payload.time)
  if (timeUs === undefined) return 'bad-time'
  if ($type === `${TYPE}commit`) return readCommit(payload, did, timeUs, seq)
  return readAccountLevel(payload, did, timeUs, seq)
}

/** Identity, account and sync events, by the `$type` of the payload. */
export function readAccountLevel(
  payload: JsonObject,
  did: string,
  timeUs: number,
  seq: number,
): Decoded {
  const { $type, identity, account, sync } = payload
  if ($type === `${TYPE}identity`) {
    const handle = isObject(identity) ? readHandle(identity.handle) : undefined
    return { did, timeUs, seq, kind: 'identity', handle }
  }
  if ($type === `${TYPE}account`) {
    if (!isObject(account) || typeof account.active !== 'boolean') return 'bad-account'
    const { active, status } = account
    return { did, timeUs, seq, kind: 'account', active, status: readStatus(active, status) }
  }
  if ($type !== `${TYPE}sync`) return 'unknown-kind'
  if (!isObject(sync)) return 'bad-sync'
  return { did, timeUs, seq, kind: 'sync', rev: isTid(sync.rev) ? sync.rev : undefined }
}

function readNotice(notice: Notice['notice'], name: unknown, message: unknown): Decoded {
  if (typeof name !== 'string') return 'unknown-frame'
  const text = typeof message === 'string' ? message.slice(0, 500) : ''
  return { notice, name: name.slice(0, 100), message: text }
}
