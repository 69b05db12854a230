// Parses request paths. The path is read undecoded: a did:web contains a percent sign itself
// (`did:web:localhost%3A2583`), and clients may or may not have escaped the DID once more.

import { isValidDid } from '@atproto/syntax'
import type { CallTime } from '../../base/util/turn.ts'
import { MediaError } from './media-error.ts'
import { type Format, type Preset, presets } from './presets.ts'

/** A blob and its owner. */
export type BlobName = {
  did: string
  cid: string
  /** Address of the client that wants it; unset for ourselves and for clients without limits. */
  asker?: string | undefined
  /** The time of the request that wants it, which is charged. */
  time?: CallTime | undefined
}

export type ImageName = BlobName & { presetName: string; preset: Preset; format: Format }

const IMAGE_PATH = /^\/img\/([^/]+)\/plain\/([^/]+)\/([^/@]+)(?:@([^/@]+))?$/
/** CIDv1, raw codec, SHA-256, base32: the form of AT Protocol blobs (spec: data model). */
const BLOB_CID = /^bafkrei[a-z2-7]{52}$/

/** @throws MediaError naming the invalid part of the path. */
export function parseImagePath(path: string): ImageName {
  const [, presetName = '', did = '', cid = '', format] = IMAGE_PATH.exec(path) ?? []
  if (!presetName) {
    throw refused('InvalidPath', 'the path must be /img/{preset}/plain/{did}/{cid}')
  }
  const preset = Object.hasOwn(presets, presetName) ? presets[presetName] : undefined
  if (!preset) {
    throw refused('InvalidPreset', `the preset must be one of ${Object.keys(presets).join(', ')}`)
  }
  if (format !== undefined && format !== 'jpeg' && format !== 'webp') {
    throw refused('InvalidFormat', 'the format must be jpeg or webp')
  }
  return { ...parseBlobName(did, cid), presetName, preset, format: format ?? preset.format }
}

/** @throws MediaError */
export function parseBlobName(rawDid: string, cid: string): BlobName {
  const did = isValidDid(rawDid) ? rawDid : unescaped(rawDid)
  if (!isValidDid(did)) throw refused('InvalidDid', 'that is not a DID')
  if (!isBlobCid(cid)) throw refused('InvalidCid', 'that is not a blob’s CID')
  return { did, cid }
}

export function isBlobCid(cid: string): boolean {
  return BLOB_CID.test(cid)
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

function refused(error: string, message: string): MediaError {
  return new MediaError('refused', error, message)
}
