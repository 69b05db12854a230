// /blob/{did}/{cid}, at the reference's path and with its errors: a picture as uploaded. It is the only route
// that serves uploaded pictures unchanged from our origin. They are sandboxed, and their type is detected
// from their first bytes.

import type { Context } from 'hono'
import { HEAD_BYTES } from '../cache/cache-entry.ts'
import { MediaError } from '../media-error.ts'
import { type BlobName, parseBlobName } from '../media-path.ts'
import { requestOf, videoResponse } from '../video-response.ts'
import type { Originals } from '../videos.ts'
import { requestedBy } from '../visitor.ts'
import type { BlobSource } from './fetch-blob.ts'

type BlobContext = {
  pictures: Originals
  /** @throws MediaError if the blob must not be shown */
  refuseHidden: (name: BlobName) => void
  source: Pick<BlobSource, 'waiting'>
}

const HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-frame-options': 'DENY',
}

/** The reference's errors, by our own names. */
const reasons: Record<string, ConstructorParameters<typeof MediaError>> = {
  InvalidDid: ['refused', 'BadRequestError', 'Invalid did'],
  InvalidCid: ['refused', 'BadRequestError', 'Invalid cid'],
  AccountNotFound: ['missing', 'NotFoundError', 'Origin not found'],
  OriginNotFound: ['missing', 'NotFoundError', 'Origin not found'],
  BlobNotFound: ['missing', 'NotFoundError', 'Blob not found'],
}
/** A base32 CIDv1 with SHA-256 and any codec, also a record's. */
const CID = /^baf[a-z2-7]{56}$/

export async function blobRoute(
  c: Context,
  { pictures, refuseHidden, source }: BlobContext,
): Promise<Response> {
  try {
    const name = { ...parseName(new URL(c.req.url).pathname), ...requestedBy(c) }
    refuseHidden(name)
    source.waiting.join(name)
    const entry = await pictures.open(name)
    const response = await videoResponse({ ...entry, at: HEAD_BYTES }, requestOf(c))
    for (const [header, value] of Object.entries(HEADERS)) response.headers.set(header, value)
    return response
  } catch (error) {
    const reason = error instanceof MediaError ? reasons[error.error] : undefined
    throw reason ? new MediaError(...reason) : error
  }
}

function parseName(path: string): BlobName {
  const [, , did = '', cid = ''] = path.split('/')
  try {
    return parseBlobName(did, cid)
  } catch (error) {
    const namesNoBlob = (error as MediaError).error === 'InvalidCid' && CID.test(cid)
    throw namesNoBlob ? new MediaError('missing', 'BlobNotFound', 'it is not a blob’s CID') : error
  }
}
