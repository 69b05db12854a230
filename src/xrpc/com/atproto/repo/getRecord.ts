// com.atproto.repo.getRecord. A PDS that is configured with this AppView asks it, without a token,
// for records of repositories that are not its own. From our index where the whole record is kept,
// else from the PDS that the account's DID document names.

import type { ComAtprotoRepoGetRecord } from '@atproto/api'
import { isValidDid } from '@atproto/syntax'
import { packCid } from '../../../../store/keys.ts'
import type { NamedActor } from '../../../actor-names.ts'
import { invalidRequest, unavailable, type XRPCError } from '../../../errors.ts'
import { parseSafeJson } from '../../../input.ts'
import type { Method, MethodContext } from '../../../method.ts'
import type { Serving } from '../../../serving.ts'

type Params = ComAtprotoRepoGetRecord.QueryParams

const MAX_BYTES = 1024 * 1024
const TIMEOUT_MS = 5_000

export function getRecord(serving: Serving): Method<Params> {
  return {
    nsid: 'com.atproto.repo.getRecord',
    kind: 'query',
    auth: 'optional',
    handler: async ({ params, signal }) => {
      const repo = await serving.names.find(params.repo)
      if (!repo || isHidden(serving, repo)) {
        throw invalidRequest(`Could not find repo: ${params.repo}`)
      }
      const body = ours(serving, repo, params) ?? (await fetched(serving, repo, { params, signal }))
      return { body }
    },
  }
}

function isHidden({ hydrator }: Serving, { uid }: NamedActor): boolean {
  if (uid === 0) return false
  return hydrator.profiles([uid], undefined).actors.get(uid)?.hiddenAs !== undefined
}

/** @returns undefined where our index can't say. */
function ours({ records }: Serving, { uid, did }: NamedActor, params: Params) {
  const { collection, rkey, cid } = params
  const found = uid === 0 ? undefined : records.find({ uid, collection, rkey })
  const uri = `at://${did}/${collection}/${rkey}`
  if (found === 'gone') throw notLocated(uri)
  if (!found || (cid !== undefined && found.cid !== cid)) return undefined
  return { uri, cid: found.cid, value: found.value }
}

async function fetched(
  serving: Serving,
  repo: NamedActor,
  { params, signal }: { params: Params; signal: MethodContext['signal'] },
) {
  const { collection, rkey, cid } = params
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

async function pdsOf({ accounts, resolver }: Serving, { uid, did }: NamedActor) {
  const known = uid === 0 ? undefined : accounts.pdsOf(uid)
  if (known || !isValidDid(did)) return known
  return (await resolver.resolve(did).catch(() => undefined))?.pds
}

/** A stranger's answer: only what the lexicon knows, and only if it is that. */
function readAnswer(body: Buffer): { uri: string; cid: string; value: object } | undefined {
  const answer = parse(body)
  if (typeof answer !== 'object' || answer === null) return undefined
  const { uri, cid, value } = answer as Record<string, unknown>
  if (typeof uri !== 'string' || typeof cid !== 'string' || !packCid(cid)) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return { uri, cid, value }
}

function parse(body: Buffer): unknown {
  try {
    return parseSafeJson(body)
  } catch {
    return undefined
  }
}

function notLocated(uri: string): XRPCError {
  return invalidRequest(`Could not locate record: ${uri}`, 'RecordNotFound')
}
