// Fetches a record from the PDS that the account's DID document names, while the caller waits. The record must
// have the CID that the PDS states: callers pass it on, and a record with another CID is not the account's.

import { isValidDid } from '@atproto/syntax'
import { packCid } from '../../base/atproto/keys.ts'
import { invalidRequest, unavailable, XRPCError } from '../../base/atproto/xrpc-error.ts'
import { isObject, type JsonObject } from '../../base/util/json-object.ts'
import type { Accounts } from '../../data/store/read/accounts.ts'
import type { GuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import { hasCid } from '../../sources/pds/record-cid.ts'
import type { Quotas } from '../../sources/quota.ts'
import { readSafeJson } from '../server/input.ts'
import type { NamedActor } from './actor-names.ts'
import type { Call } from './call.ts'
import { lookupsFor, takeShare } from './outside-shares.ts'

type OutsideRecord = { uri: string; cid: string; value: JsonObject }

type Outside = {
  accounts: Accounts
  fetch: GuardedFetch
  resolver: Pick<Resolver, 'resolve'>
  quotas?: Quotas | undefined
}
type Key = { collection: string; rkey: string; cid?: string }

const MAX_BYTES = 1024 * 1024
const TIMEOUT_MS = 5_000

/**
 * @throws XRPCError RecordNotFound if the record does not exist, UpstreamFailure if the PDS can't
 * or the directory can't be reached (503) or the PDS answers a record that does not have its CID (502), RateLimitExceeded if the
 * caller's share at the PDS or the directory is used up
 */
export async function fetchRecord(
  serving: Outside,
  repo: NamedActor,
  { key, signal, who }: { key: Key; signal: AbortSignal; who?: Call['who'] },
): Promise<OutsideRecord> {
  const { collection, rkey, cid } = key
  const uri = `at://${repo.did}/${collection}/${rkey}`
  const pds = await pdsOf(serving, repo, who)
  if (!pds || !URL.canParse(pds)) throw notLocated(uri)
  const { host } = new URL(pds)
  takeShare(serving, host, who)
  const query = new URLSearchParams({ repo: repo.did, collection, rkey, ...(cid && { cid }) })
  const response = await serving
    .fetch(`${pds}/xrpc/com.atproto.repo.getRecord?${query}`, {
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      signal,
    })
    .catch((cause) => {
      throw unreachable(`The repository of ${repo.did}`, cause)
    })
  serving.quotas?.of(host).note(response.headers)
  if (DENIALS.has(response.status)) throw notLocated(uri)
  const answer = response.status === 200 ? readAnswer(response.body) : undefined
  if (!answer) throw unreachable(`The repository of ${repo.did}`)
  if (answer.uri !== uri || (cid !== undefined && answer.cid !== cid)) throw notLocated(uri)
  if (!hasCid(answer.value, answer.cid)) throw mismatched(uri)
  return answer
}

/** An answer of any other status says nothing about the record. */
const DENIALS: ReadonlySet<number> = new Set([400, 404, 410])

function unreachable(what: string, cause?: unknown): XRPCError {
  return unavailable(`${what} cannot be reached`, { error: 'UpstreamFailure', cause })
}

export function notLocated(uri: string): XRPCError {
  return invalidRequest(`Could not locate record: ${uri}`, 'RecordNotFound')
}

function mismatched(uri: string): XRPCError {
  const message = `The repository’s server answered ${uri} with a record that does not have its CID`
  return new XRPCError(502, 'UpstreamFailure', message)
}

async function pdsOf(serving: Outside, { uid, did }: NamedActor, who: Call['who']) {
  const { accounts, resolver } = serving
  const known = uid === 0 ? undefined : accounts.pdsOf(uid)
  if (known || !isValidDid(did)) return known
  const asker = lookupsFor(serving, who)
  const identity = await resolver.resolve(did, { asker }).catch((error: unknown) => {
    if (error instanceof XRPCError) throw error
    throw unreachable(`The directory of ${did}`, error)
  })
  return identity?.pds
}

/** Parses an untrusted response: only the lexicon's fields, and only if they are valid. */
function readAnswer(body: Buffer): OutsideRecord | undefined {
  const answer = readSafeJson(body)
  if (!isObject(answer)) return undefined
  const { uri, cid, value } = answer
  if (typeof uri !== 'string' || typeof cid !== 'string' || !packCid(cid)) return undefined
  if (!isObject(value)) return undefined
  return { uri, cid, value }
}
