// Turns frames into events, in order. Accounts that are to be verified must have signed what the frame says
// with their current key; it is looked up once more if a signature does not fit, since keys rotate. What fails
// brings no event, only a reason, and the account is then compared with its own server.

import type { StreamEvent } from '@slipstream/jetstream'
import { LruMap } from '../../../base/util/lru.ts'
import type { VerifyingKey } from '../../../sources/identity/verifying-key.ts'
import {
  type Before,
  type FailureReason,
  unverifiedEvents,
  verifyCommit,
  verifySync,
} from './commit.ts'
import type { AccountFrame, CommitFrame, RepoFrame, SyncFrame } from './frame.ts'
import type { AccountKeys } from './keys.ts'

export type Verdict = {
  events: StreamEvent[]
  /** Why nothing of this frame is believed. */
  failure?: FailureReason | 'unknown-key' | 'too-big'
  /** Something of this account is missing: its repository must be compared with its server’s. */
  isIncomplete?: boolean
}

export type Judge = {
  /** It has arrived: its account's key is looked up by the time that it is judged. */
  expect(frame: RepoFrame): void
  judge(frame: RepoFrame): Verdict | Promise<Verdict>
}

/** What is known of an account is some 150 bytes. */
const MAX_ACCOUNTS = 200_000

export function createJudge(options: {
  keys: AccountKeys
  /** Whether this account’s signature is checked. */
  verifies: (did: string) => boolean
  /** Whether an account whose key can't be had is compared with its own server; by default, all are. */
  isCompared?: (did: string) => boolean
  /** Several hosts are read: a commit that one left out may come from another after later ones. */
  takesLate?: boolean
  /** Asks the account's own server whether it is there; without it, what the frame says counts. */
  confirm?: (frame: AccountFrame) => Promise<Verdict>
}): Judge {
  const { keys, verifies, isCompared = () => true, takesLate = false, confirm } = options
  const known = new LruMap<string, Before>(MAX_ACCOUNTS)

  function expect(frame: RepoFrame): void {
    const isSigned = frame.kind === 'commit' || frame.kind === 'sync'
    if (isSigned && verifies(frame.did) && !keys.peek(frame.did)) void keys.get(frame.did)
  }

  function judge(frame: RepoFrame): Verdict | Promise<Verdict> {
    if (frame.kind === 'identity') keys.forget(frame.did)
    if (frame.kind === 'identity') return { events: [frame] }
    if (frame.kind === 'account') return confirmed(frame)
    if (frame.kind === 'commit' && frame.isTooBig) return failed('too-big')
    if (!verifies(frame.did)) return unverified(frame)
    const key = keys.peek(frame.did)
    const verdict = key && weigh(frame, key)
    return verdict && verdict.failure !== 'bad-signature' ? verdict : withNewKey(frame, key)
  }

  function confirmed(frame: AccountFrame): Verdict | Promise<Verdict> {
    const isRequested = confirm && verifies(frame.did) && isCompared(frame.did)
    return isRequested ? confirm(frame) : { events: [frame] }
  }

  /** `before`: the key that did not fit. */
  async function withNewKey(frame: CommitFrame | SyncFrame, before: VerifyingKey | undefined) {
    const key = before ? await keys.renew(frame.did) : await keys.get(frame.did)
    if (!key) return { ...failed('unknown-key'), isIncomplete: isCompared(frame.did) }
    const verdict = weigh(frame, key)
    if (verdict.failure !== 'bad-signature' || before) return verdict
    const renewed = await keys.renew(frame.did)
    return renewed ? weigh(frame, renewed) : verdict
  }

  function weigh(frame: CommitFrame | SyncFrame, key: VerifyingKey): Verdict {
    if (frame.kind === 'sync') return weighSync(frame, key)
    const before = known.get(frame.did)
    // A host sends again what it is not sure to have sent.
    if (before && frame.rev <= before.rev) return takesLate ? weighLate(frame, key) : { events: [] }
    const verified = verifyCommit(frame, key, before)
    if (typeof verified === 'string') return failed(verified)
    known.set(frame.did, verified.after)
    return { events: verified.events, ...(verified.isBroken && { isIncomplete: true }) }
  }

  /** By itself: what followed on it is known already. The index leaves out what is older than it has. */
  function weighLate(frame: CommitFrame, key: VerifyingKey): Verdict {
    const verified = verifyCommit(frame, key, undefined)
    return typeof verified === 'string' ? failed(verified) : { events: verified.events }
  }

  function weighSync(frame: SyncFrame, key: VerifyingKey): Verdict {
    const after = verifySync(frame, key)
    if (typeof after === 'string') return failed(after)
    known.set(frame.did, after)
    return unverified(frame)
  }

  return { expect, judge }
}

function unverified(frame: CommitFrame | SyncFrame): Verdict {
  const { did, seq, timeUs, rev } = frame
  if (frame.kind === 'sync') return { events: [{ did, seq, timeUs, kind: 'sync', rev }] }
  const events = unverifiedEvents(frame)
  return typeof events === 'string' ? failed(events) : { events }
}

function failed(failure: NonNullable<Verdict['failure']>): Verdict {
  return { events: [], failure, isIncomplete: true }
}
