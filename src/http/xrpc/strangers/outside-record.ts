// Fetches a record from the PDS that the account's DID document names, while the caller waits. The record must
// have the CID that the PDS states: callers pass it on, and a record with another CID is not the account's.

import { packCid } from '../../../base/atproto/keys.ts'
import { hasCid } from '../../../base/atproto/record-cid.ts'
import { invalidRequest, XRPCError } from '../../../base/atproto/xrpc-error.ts'
import { isObject, type JsonObject } from '../../../base/util/json-object.ts'
import { inTurn } from '../../../base/util/turn.ts'
import { readSafeJson } from '../../server/input.ts'
import type { NamedActor } from '../naming/actor-names.ts'
import { askPds, type Outside, unreachable } from './outside-pds.ts'
import type { LookedUpFor } from './outside-shares.ts'

type OutsideRecord = { uri: string; cid: string; value: JsonObject }

type Key = { collection: string; rkey: string; cid?: string }

/**
 * @throws XRPCError RecordNotFound if the record does not exist, UpstreamFailure if the PDS can't
 * or the directory can't be reached (503) or the PDS answers a record that does not have its CID (502), RateLimitExceeded if the
 * caller's share at the PDS or the directory is used up
 */
export async function fetchRecord(
  serving: Outside,
  repo: NamedActor,
  request: { key: Key; signal: AbortSignal } & LookedUpFor,
): Promise<OutsideRecord> {
  const { key, signal, who, time } = request
  const { collection, rkey, cid } = key
  const uri = `at://${repo.did}/${collection}/${rkey}`
  const query = new URLSearchParams({ repo: repo.did, collection, rkey, ...(cid && { cid }) })
  const path = `com.atproto.repo.getRecord?${query}`
  const response = await askPds(serving, repo, { path, signal, who, time })
  if (!response) throw notLocated(uri)
  if (DENIALS.has(response.status)) throw notLocated(uri)
  return inTurn({ time }, () => {
    const answer = response.status === 200 ? readAnswer(response.body) : undefined
    if (!answer) throw unreachable(repo)
    if (answer.uri !== uri || (cid !== undefined && answer.cid !== cid)) throw notLocated(uri)
    if (!hasCid(answer.value, answer.cid)) throw mismatched(uri)
    return answer
  })
}

/** An answer of any other status says nothing about the record. */
const DENIALS: ReadonlySet<number> = new Set([400, 404, 410])

export function notLocated(uri: string): XRPCError {
  return invalidRequest(`Could not locate record: ${uri}`, 'RecordNotFound')
}

function mismatched(uri: string): XRPCError {
  const message = `The repository’s server answered ${uri} with a record that does not have its CID`
  return new XRPCError(502, 'UpstreamFailure', message)
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
