// Fetches a record from the PDS that the account's DID document names, while the caller waits.

import { isValidDid } from '@atproto/syntax'
import { packCid } from '../../base/atproto/keys.ts'
import { invalidRequest, unavailable, type XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { Accounts } from '../../data/store/read/accounts.ts'
import type { GuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import { readSafeJson } from '../server/input.ts'
import type { NamedActor } from './actor-names.ts'

type OutsideRecord = { uri: string; cid: string; value: object }

type Outside = { accounts: Accounts; fetch: GuardedFetch; resolver: Pick<Resolver, 'resolve'> }
type Key = { collection: string; rkey: string; cid?: string }

const MAX_BYTES = 1024 * 1024
const TIMEOUT_MS = 5_000

/**
 * @throws XRPCError RecordNotFound if the record does not exist, UpstreamFailure if the PDS can't
 * be reached
 */
export async function fetchRecord(
  serving: Outside,
  repo: NamedActor,
  { key, signal }: { key: Key; signal: AbortSignal },
): Promise<OutsideRecord> {
  const { collection, rkey, cid } = key
  const uri = `at://${repo.did}/${collection}/${rkey}`
  const pds = await pdsOf(serving, repo)
  if (!pds) throw notLocated(uri)
  const query = new URLSearchParams({ repo: repo.did, collection, rkey, ...(cid && { cid }) })
  const response = await serving
    .fetch(`${pds}/xrpc/com.atproto.repo.getRecord?${query}`, {
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      signal,
    })
    .catch((cause) => {
      throw unavailable(`The repository of ${repo.did} cannot be reached`, {
        error: 'UpstreamFailure',
        cause,
      })
    })
  if (response.status !== 200) throw notLocated(uri)
  const answer = readAnswer(response.body)
  if (answer?.uri !== uri || (cid !== undefined && answer.cid !== cid)) throw notLocated(uri)
  return answer
}

export function notLocated(uri: string): XRPCError {
  return invalidRequest(`Could not locate record: ${uri}`, 'RecordNotFound')
}

async function pdsOf({ accounts, resolver }: Outside, { uid, did }: NamedActor) {
  const known = uid === 0 ? undefined : accounts.pdsOf(uid)
  if (known || !isValidDid(did)) return known
  return (await resolver.resolve(did).catch(() => undefined))?.pds
}

/** Parses an untrusted response: only the lexicon's fields, and only if they are valid. */
function readAnswer(body: Buffer): OutsideRecord | undefined {
  const answer = readSafeJson(body)
  if (typeof answer !== 'object' || answer === null) return undefined
  const { uri, cid, value } = answer as Record<string, unknown>
  if (typeof uri !== 'string' || typeof cid !== 'string' || !packCid(cid)) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return { uri, cid, value }
}
