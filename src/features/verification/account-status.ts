// Whether an account is there: anybody may say that it is not, without a signature. An account's own server, which the
// directory names, decides (com.atproto.sync.getRepoStatus): a host that lies, or the server from which an account has
// moved, is not believed. While that server does not answer, what was said counts, but nothing is removed because of it,
// and the account is compared later. Where the directory can't be asked, the server it named last may say that it is there.

import { readStatus } from '@slipstream/jetstream'
import { isObject, parseJson } from '../../base/util/json-object.ts'
import type { GuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { ResolveOptions, Resolver } from '../../sources/identity/resolver.ts'
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
export function createConfirm(context: Dependencies): Confirm {
  return async (frame) => {
    const answer = await ask(context, frame.did, FRESH)
    if (answer === 'gone') return { events: [{ ...frame, active: false, status: 'deleted' }] }
    if (answer && answer !== 'no document') return { events: [{ ...frame, ...answer }] }
    const latest = answer && (await ask(context, frame.did, {}))
    if (typeof latest === 'object' && latest.active)
      return { events: [{ ...frame, ...latest }], isIncomplete: true }
    const status = frame.status === 'deleted' ? 'deactivated' : frame.status
    return { events: [{ ...frame, status }], isIncomplete: true }
  }
}

type Answer =
  | { active: boolean; status: AccountFrame['status'] }
  /** Neither the directory nor the server has it. */
  | 'gone'
  /** The directory can't be asked now, or was asked often enough within this minute. */
  | 'no document'
  | undefined

async function ask(
  { fetch, resolver }: Dependencies,
  did: string,
  how: ResolveOptions,
): Promise<Answer> {
  const identity = await resolver.resolve(did, how).catch(() => 'no document' as const)
  if (identity === 'no document') return identity
  if (!identity) return 'gone'
  return identity.pds === undefined ? undefined : askServer(fetch, identity.pds, did)
}

async function askServer(fetch: GuardedFetch, pds: string, did: string): Promise<Answer> {
  try {
    const query = new URLSearchParams({ did })
    const { status, body } = await fetch(`${pds}/xrpc/${CALL}?${query}`, LIMITS)
    const answer = parseJson(body.toString())
    if (!isObject(answer)) return undefined
    if (status === 400 && answer['error'] === 'RepoNotFound') return 'gone'
    const active = answer['active']
    if (status !== 200 || typeof active !== 'boolean') return undefined
    return { active, status: readStatus(active, answer['status']) }
  } catch {
    // Servers are away at times.
    return undefined
  }
}
