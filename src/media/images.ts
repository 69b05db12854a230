// A picture by its name: from the disk, or fetched, made and kept. Many who ask for one that is not there
// yet share one fetch and one making; the sizes of one blob, asked for at once, share its fetch.

import { createLimiter } from '../identity/limiter.ts'
import { type CacheEntry, makeEntry } from './cache-entry.ts'
import type { DiskCache } from './disk-cache.ts'
import { type BlobSource, fetchBlob } from './fetch-blob.ts'
import { MediaError } from './media-error.ts'
import type { ImageName } from './media-path.ts'
import type { RenderImage } from './render-image.ts'
import { createSharedWork } from './shared-work.ts'

export type Images = (name: ImageName) => Promise<CacheEntry>

export type ImagesOptions = {
  source: BlobSource
  cache: DiskCache
  render: RenderImage
  now?: () => number
  /** For a blob, from the first look-up to the last byte. */
  timeoutMs?: number
}

/** Lexicons allow at most two megabytes; other software is not always as strict. */
const MAX_BLOB_BYTES = 5 * 1024 * 1024
const TIMEOUT_MS = 15_000
/** Blobs in memory at once. */
const MAX_MAKING = 32
/** A screen asks for a hundred at a time. */
const MAX_WAITING = 2000

/** @throws MediaError from the function it makes. */
export function createImages(options: ImagesOptions): Images {
  const { source, cache, render, now, timeoutMs = TIMEOUT_MS } = options
  const limits = { maxBytes: MAX_BLOB_BYTES, timeoutMs }
  const shareFetch = createSharedWork<Buffer>(now)
  const shareImage = createSharedWork<CacheEntry>(now)

  const limiter = createLimiter({
    maxRunning: MAX_MAKING,
    maxWaiting: MAX_WAITING,
    full: () => new MediaError('busy', 'Busy', 'too many pictures at once'),
  })

  async function findOrMake(name: ImageName, key: string): Promise<CacheEntry> {
    return (await cache.read(key)) ?? limiter.run(() => make(name, key))
  }

  async function make(name: ImageName, key: string): Promise<CacheEntry> {
    const { did, cid, preset, format } = name
    const blob = await shareFetch(`${did} ${cid}`, () => fetchBlob(source, { did, cid }, limits))
    const entry = makeEntry(`image/${format}`, await render(blob, { preset, format }))
    await cache.write(key, entry)
    return entry
  }

  return (name) => {
    const key = `image ${name.presetName} ${name.format} ${name.did} ${name.cid}`
    return shareImage(key, () => findOrMake(name, key))
  }
}
