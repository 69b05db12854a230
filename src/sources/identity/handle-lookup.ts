// Resolves a handle to its DID: a DNS TXT record at `_atproto.<handle>`, or else the text at
// https://<handle>/.well-known/atproto-did. Source: atproto handle specification.

import { Resolver } from 'node:dns/promises'
import { isValidDid, isValidHandle, isValidTld } from '@atproto/syntax'
import { FetchError, type FetchFailure } from './fetch-error.ts'
import type { GuardedFetch } from './guarded-fetch.ts'
import { isDenial } from './guarded-lookup.ts'

export type ResolveTxt = (name: string) => Promise<string[][]>

export type HandleLookup = {
  did: string | undefined
  /** False if a server could not be reached, so that a missing DID proves nothing. */
  certain: boolean
  /** The name itself does not exist, if DNS can be believed. */
  isNoName?: boolean
}

type Options = { fetch: GuardedFetch; resolveTxt: ResolveTxt; signal?: AbortSignal }

const TIMEOUT_MS = 3000
const MAX_BYTES = 2048
/** Failures that a retry can't change. */
const LASTING = new Set<FetchFailure>([
  'dns',
  'private-address',
  'ip-literal',
  'bad-url',
  'too-large',
])
const NO_NAME = new Set<FetchFailure>(['dns', 'private-address'])

export function createTxtResolver(): ResolveTxt {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  return (name) => resolver.resolveTxt(name)
}

/** Both ways at once; DNS takes precedence, as in the specification. */
export async function lookupHandle(handle: string, options: Options): Promise<HandleLookup> {
  if (!isValidHandle(handle) || !isValidTld(handle)) return { did: undefined, certain: true }
  const stop = new AbortController()
  const overHttps = lookupHttps(handle, { ...options, signal: stop.signal })
  const overDns = await lookupDns(handle, options)
  if (overDns.did) {
    stop.abort()
    return overDns
  }
  const { did, certain, isNoName } = await overHttps
  return {
    did,
    certain: did !== undefined || (certain && overDns.certain),
    isNoName: isNoName && overDns.isNoName,
  }
}

/** More than one `did=` record is an error and must not be resolved by guessing. */
async function lookupDns(handle: string, { resolveTxt }: Options): Promise<HandleLookup> {
  try {
    const records = (await resolveTxt(`_atproto.${handle}`)).map((chunks) => chunks.join(''))
    const found = records.filter((record) => record.startsWith('did='))
    const did = found.length === 1 ? found[0]!.slice('did='.length).trim() : ''
    return { did: isValidDid(did) ? did : undefined, certain: true }
  } catch (error) {
    return { did: undefined, certain: isDenial(error), isNoName: true }
  }
}

async function lookupHttps(handle: string, { fetch, signal }: Options): Promise<HandleLookup> {
  try {
    const response = await fetch(`https://${handle}/.well-known/atproto-did`, {
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      signal,
    })
    if (response.status !== 200) return { did: undefined, certain: isAnswer(response.status) }
    const did = response.body.toString().split('\n')[0]!.trim()
    return { did: isValidDid(did) ? did : undefined, certain: true }
  } catch (error) {
    if (!(error instanceof FetchError)) return { did: undefined, certain: false }
    const { reason } = error
    return { did: undefined, certain: LASTING.has(reason), isNoName: NO_NAME.has(reason) }
  }
}

/** A server that fails or asks to come back later says nothing about the handle. */
function isAnswer(status: number): boolean {
  return status < 500 && status !== 429
}

/** A PDS's own answer for a handle; trusted only on private networks, which have no DNS. */
export async function askPds(
  pds: string,
  handle: string,
  fetch: GuardedFetch,
): Promise<HandleLookup> {
  const url = `${pds}/xrpc/com.atproto.identity.resolveHandle?handle=${encodeURIComponent(handle)}`
  try {
    const { status, body } = await fetch(url, { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS })
    if (status !== 200) return { did: undefined, certain: isAnswer(status) }
    const answer: unknown = JSON.parse(body.toString())
    const did = typeof answer === 'object' && answer !== null && 'did' in answer && answer.did
    return { did: typeof did === 'string' ? did : undefined, certain: true }
  } catch {
    // Any other reply is no answer, and there is no other server to ask.
    return { did: undefined, certain: false }
  }
}
