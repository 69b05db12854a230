// Where the DID document of a did:plc or did:web is, and how to interpret the answer. Source: the
// specifications of the DID methods, narrowed as in atproto: no did:web with a path, a port as `%3A`, plain
// http for `localhost` only (if the guarded fetch allows it), no redirects, and the document must be about
// the requested DID.

import { hasMoreValues, parseJson } from '../../base/util/json-object.ts'
import { type Identity, parseDidDocument } from './did-document.ts'
import { FetchError } from './fetch-error.ts'
import type { FetchedResponse, GuardedFetch } from './guarded-fetch.ts'

const TIMEOUT_MS = 3000
const MAX_DOCUMENT_BYTES = 64 * 1024
/** A usual one has some twenty. An address may have hundreds read, of hosts of its choice. */
const MAX_VALUES = 2_000
const GONE = new Set([404, 410])
const ACCEPT = 'application/did+ld+json, application/json'

/** The DID can't be resolved now; a later try may succeed. */
export class IdentityUnavailableError extends Error {
  override name = 'IdentityUnavailableError'
}

/** The name's own servers were asked, and said nothing: they should not be asked again at once. */
export class UnansweredError extends IdentityUnavailableError {
  override name = 'UnansweredError'
}

/**
 * The identity as its directory or host reports it now; undefined if it does not exist, is
 * tombstoned, or has an unusable document.
 * @throws IdentityUnavailableError
 */
export async function fetchIdentity(
  did: string,
  { fetch, plcUrl }: { fetch: GuardedFetch; plcUrl: string },
): Promise<Identity | undefined> {
  const url = documentUrl(did, plcUrl)
  if (!url) return undefined
  const response = await fetchDocument(fetch, url, did)
  if (GONE.has(response.status)) return undefined
  if (response.status !== 200) {
    throw new IdentityUnavailableError(`status ${response.status} for the document of ${did}`)
  }
  if (hasMoreValues(response.body, MAX_VALUES)) return undefined
  return parseDidDocument(did, parseJson(response.body.toString()))
}

/** Returns undefined if atproto does not know such DIDs. */
export function documentUrl(did: string, plcUrl: string): string | undefined {
  if (/^did:plc:[a-z2-7]{24}$/.test(did)) return `${plcUrl.replace(/\/$/, '')}/${did}`
  const [, host, port] = /^did:web:([a-z0-9.-]+)(?:%3A(\d{1,5}))?$/i.exec(did) ?? []
  if (!host) return undefined
  const scheme = host === 'localhost' ? 'http' : 'https'
  return `${scheme}://${host}${port ? `:${port}` : ''}/.well-known/did.json`
}

async function fetchDocument(
  fetch: GuardedFetch,
  url: string,
  did: string,
): Promise<FetchedResponse> {
  try {
    return await fetch(url, {
      headers: { accept: ACCEPT },
      maxBytes: MAX_DOCUMENT_BYTES,
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
    })
  } catch (cause) {
    const reason = cause instanceof FetchError ? cause.reason : 'unknown'
    throw new IdentityUnavailableError(`no document of ${did}: ${reason}`, { cause })
  }
}
