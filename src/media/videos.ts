// A video as it was uploaded: from the disk, or fetched whole, checked and kept. It is fetched into memory,
// since it must be shown to be what its CID says before a byte of it goes out; therefore one at a time.

import { createLimiter } from '../identity/limiter.ts'
import { makeEntry } from './cache-entry.ts'
import type { DiskCache, OpenedEntry } from './disk-cache.ts'
import { type BlobSource, fetchBlob } from './fetch-blob.ts'
import { MediaError } from './media-error.ts'
import type { BlobName } from './media-path.ts'
import { createSharedWork } from './shared-work.ts'
import { videoType } from './sniff.ts'

/** The entry's file is the caller's to close. */
export type Videos = (name: BlobName) => Promise<OpenedEntry>

export type VideosOptions = { source: BlobSource; cache: DiskCache; now?: () => number }

/** As the lexicon of app.bsky.embed.video has it. */
const MAX_BLOB_BYTES = 100_000_000
const TIMEOUT_MS = 60_000
const MAX_WAITING = 16

/** @throws MediaError from the function it makes. */
export function createVideos({ source, cache, now }: VideosOptions): Videos {
  const share = createSharedWork<void>(now)
  const limiter = createLimiter({
    maxRunning: 1,
    maxWaiting: MAX_WAITING,
    full: () => new MediaError('busy', 'Busy', 'too many videos at once'),
  })

  async function fetchAndKeep(name: BlobName, key: string): Promise<void> {
    const limits = { maxBytes: MAX_BLOB_BYTES, timeoutMs: TIMEOUT_MS }
    const blob = await limiter.run(() => fetchBlob(source, name, limits))
    const contentType = videoType(blob)
    if (!contentType) throw new MediaError('refused', 'NotAVideo', 'the blob is no video')
    await cache.write(key, makeEntry(contentType, blob))
  }

  return async (name) => {
    const key = `video ${name.did} ${name.cid}`
    const found = await cache.open(key)
    if (found) return found
    await share(key, () => fetchAndKeep(name, key))
    const fetched = await cache.open(key)
    if (fetched) return fetched
    throw new MediaError('busy', 'NoRoom', 'the server has no room to keep the video')
  }
}
