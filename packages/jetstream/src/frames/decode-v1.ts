// One frame of the v1 wire (`/subscribe`), parsed: `{did, time_us, kind, commit|identity|account}`,
// with `cursor` (= seq) on v2 hosts and without it on legacy ones.

import { readCommit, readHandle, readStatus } from './commit.ts'
import type { Decoded } from './decoded.ts'
import { isDid, isObject, isPositive } from './syntax.ts'

export function decodeV1(frame: unknown): Decoded {
  if (!isObject(frame)) return 'unknown-frame'
  const { did, time_us: timeUs, kind, cursor: seq } = frame
  if (!isDid(did)) return 'bad-did'
  if (!isPositive(timeUs)) return 'bad-time'
  if (seq !== undefined && !isPositive(seq)) return 'bad-seq'
  if (kind === 'commit') {
    return isObject(frame.commit) ? readCommit(frame.commit, did, timeUs, seq) : 'bad-operation'
  }
  if (kind === 'identity') {
    const handle = isObject(frame.identity) ? readHandle(frame.identity.handle) : undefined
    return { did, timeUs, seq, kind, handle }
  }
  if (kind !== 'account') return 'unknown-kind'
  if (!isObject(frame.account) || typeof frame.account.active !== 'boolean') return 'bad-account'
  const { active, status } = frame.account
  return { did, timeUs, seq, kind, active, status: readStatus(active, status) }
}
