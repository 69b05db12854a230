// Reads what an address asks for. The path is read as it came: a did:web has a percent sign of its own
// (`did:web:localhost%3A2583`), and clients may or may not have escaped the DID once more.

import { isValidDid } from '@atproto/syntax'
import { MediaError } from './media-error.ts'
import { type Format, type Preset, presets } from './presets.ts'

/** Whose blob. */
export type BlobName = { did: string; cid: string }

export type ImageName = BlobName & { presetName: string; preset: Preset; format: Format }

const IMAGE_PATH = /^\/img\/([^/]+)\/plain\/([^/]+)\/([^/@]+)(?:@([^/@]+))?$/
/** CIDv1 of raw bytes by SHA-256 in base32: what blobs of AT Protocol have (spec: data model). */
const BLOB_CID = /^bafkrei[a-z2-7]{52}$/

/** @throws MediaError naming the part of the path that is wrong. */
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
  if (!isValidDid(did)) throw refused('InvalidDid', 'that is no DID')
  if (!isBlobCid(cid)) throw refused('InvalidCid', 'that is no CID of a blob')
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
