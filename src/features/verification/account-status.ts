// Whether an account is there: anybody may say that it is not, without a signature. An account's own server, which the
// directory names, decides (com.atproto.sync.getRepoStatus): a host that lies, or the server from which an account has
// moved, is not believed. While that server does not answer, what was said counts, but nothing is removed because of it,
// and the account is compared with its server later.

import { readStatus } from '@slipstream/jetstream'
import { isObject, parseJson } from '../../base/util/json-object.ts'
import type { GuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import type { AccountFrame } from './firehose/frame.ts'
import type { Verdict } from './firehose/judge.ts'

export type Confirm = (frame: AccountFrame) => Promise<Verdict>

type Dependencies = { fetch: GuardedFetch; resolver: Pick<Resolver, 'resolve'> }

/** The stream waits for the answer. */
const LIMITS = { maxBytes: 10_000, timeoutMs: 5_000 }
/** The server that it had before says that it is away. */
const FRESH = { forceRefresh: true, isFreshOnly: true }
const CALL = 'com.atproto.sync.getRepoStatus'

/** @returns a function that judges a frame by what the account's own server says */
export function createConfirm(parts: Dependencies): Confirm {
  return async (frame) => {
    const answer = await ask(parts, frame.did)
    if (answer === 'gone') return { events: [{ ...frame, active: false, status: 'deleted' }] }
    if (answer) return { events: [{ ...frame, ...answer }] }
    const status = frame.status === 'deleted' ? 'deactivated' : frame.status
    return { events: [{ ...frame, status }], isIncomplete: true }
  }
}

/** `gone`: neither the directory nor the server has it. */
async function ask({ fetch, resolver }: Dependencies, did: string) {
  try {
    const identity = await resolver.resolve(did, FRESH)
    if (!identity) return 'gone'
    if (!identity.pds) return undefined
    const query = new URLSearchParams({ did })
    const { status, body } = await fetch(`${identity.pds}/xrpc/${CALL}?${query}`, LIMITS)
    const answer = parseJson(body.toString())
    if (!isObject(answer)) return undefined
    if (status === 400 && answer['error'] === 'RepoNotFound') return 'gone'
    const active = answer['active']
    if (status !== 200 || typeof active !== 'boolean') return undefined
    return { active, status: readStatus(active, answer['status']) }
  } catch {
    // Directories and servers are away at times.
    return undefined
  }
}
