// Asks the PDS that an account's DID document names, while a caller waits, within the caller's share of what the
// PDS and the directory allow.

import { isValidDid } from '@atproto/syntax'
import { unavailable, XRPCError } from '../../../base/atproto/xrpc-error.ts'
import type { Accounts } from '../../../data/store/read/accounts/accounts.ts'
import type { FetchedResponse, GuardedFetch } from '../../../sources/identity/guarded-fetch.ts'
import type { Resolver } from '../../../sources/identity/resolver.ts'
import type { Quotas } from '../../../sources/quota.ts'
import type { NamedActor } from '../naming/actor-names.ts'
import { type LookedUpFor, lookupsFor, takeShare } from './outside-shares.ts'

export type Outside = {
  accounts: Accounts
  fetch: GuardedFetch
  resolver: Pick<Resolver, 'resolve'>
  quotas?: Quotas | undefined
}

const MAX_BYTES = 1024 * 1024
const TIMEOUT_MS = 5_000

/**
 * @returns undefined if the account has no PDS
 * @throws XRPCError UpstreamFailure if the PDS or the directory can't be reached, RateLimitExceeded
 *   if the caller's share is used up
 */
export async function askPds(
  serving: Outside,
  repo: NamedActor,
  request: { path: string; signal: AbortSignal } & LookedUpFor,
): Promise<FetchedResponse | undefined> {
  const { path, signal, who } = request
  const pds = await pdsOf(serving, repo, request)
  if (!pds || !URL.canParse(pds)) return undefined
  const { host } = new URL(pds)
  takeShare(serving, host, who)
  const response = await serving
    .fetch(`${pds}/xrpc/${path}`, { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, signal })
    .catch((cause: unknown) => {
      throw unreachable(repo, cause)
    })
  serving.quotas?.of(host).note(response.headers)
  return response
}

/** 503: the account's PDS gave no answer, or none that says anything. */
export function unreachable({ did }: Pick<NamedActor, 'did'>, cause?: unknown): XRPCError {
  const message = `The repository of ${did} cannot be reached`
  return unavailable(message, { error: 'UpstreamFailure', cause })
}

async function pdsOf(serving: Outside, { uid, did }: NamedActor, by: LookedUpFor) {
  const { accounts, resolver } = serving
  const known = uid === 0 ? undefined : accounts.pdsOf(uid)
  if (known || !isValidDid(did)) return known
  const asker = lookupsFor(serving, by)
  const identity = await resolver.resolve(did, { asker }).catch((error: unknown) => {
    throw error instanceof XRPCError ? error : unreachable({ did }, error)
  })
  return identity?.pds
}
