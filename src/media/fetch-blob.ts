// A blob from the PDS that its owner's DID document names, through the guarded fetch, and only if the
// bytes are those that the CID names. Statuses are the reference's: what the PDS refuses is missing, what
// it fails at is upstream. Lexicon: com.atproto.sync.getBlob.

import { FetchError } from '../identity/fetch-error.ts'
import type { FetchedResponse, GuardedFetch } from '../identity/guarded-fetch.ts'
import type { Resolver } from '../identity/resolver.ts'
import { isBlobOf } from './blob-cid.ts'
import { MediaError } from './media-error.ts'
import type { BlobName } from './media-path.ts'

export type BlobSource = { fetch: GuardedFetch; resolver: Pick<Resolver, 'resolve'> }

export type BlobLimits = { maxBytes: number; timeoutMs: number }

/** @throws MediaError */
export async function fetchBlob(
  { fetch, resolver }: BlobSource,
  name: BlobName,
  limits: BlobLimits,
): Promise<Buffer> {
  const pds = await pdsOf(resolver, name.did)
  const url = `${pds}/xrpc/com.atproto.sync.getBlob?${new URLSearchParams(name)}`
  const response = await fetch(url, limits).catch((error: unknown) => {
    throw toMediaError(error, limits)
  })
  if (response.status !== 200) throw refusal(response)
  if (isBlobOf(response.body, name.cid)) return response.body
  throw new MediaError('missing', 'BlobNotFound', 'the PDS sent other bytes than the CID names')
}

async function pdsOf(resolver: BlobSource['resolver'], did: string): Promise<string> {
  const identity = await resolver.resolve(did).catch((error: unknown) => {
    throw new MediaError('upstream', 'UpstreamError', 'the DID document cannot be had', {
      cause: error,
    })
  })
  if (identity?.pds) return identity.pds
  throw new MediaError('missing', 'OriginNotFound', 'the account has no PDS')
}

function refusal({ status, url }: FetchedResponse): MediaError {
  const { origin } = new URL(url)
  if (status === 429) {
    return new MediaError('upstream', 'UpstreamError', `${origin} wants to be asked less`)
  }
  if (status >= 400 && status < 500) {
    return new MediaError('missing', 'BlobNotFound', `${origin} does not have the blob`)
  }
  return new MediaError('upstream', 'UpstreamError', `${origin} answered with ${status}`)
}

function toMediaError(error: unknown, { maxBytes }: BlobLimits): unknown {
  if (!(error instanceof FetchError)) return error
  const options = { cause: error }
  switch (error.reason) {
    case 'too-large':
      return new MediaError(
        'refused',
        'BlobTooLarge',
        `the blob has more than ${maxBytes} bytes`,
        options,
      )
    case 'timeout':
      return new MediaError('late', 'UpstreamTimeout', 'the PDS took too long', options)
    case 'busy':
      return new MediaError('busy', 'Busy', 'too many pictures at once', options)
    default:
      return new MediaError('upstream', 'UpstreamError', 'the PDS gave no answer', options)
  }
}
