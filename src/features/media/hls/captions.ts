// A video's captions: the languages that its post names, and each file rewritten as our own WebVTT from the
// blob on the account's PDS, and cached on disk.

import { readFile, writeFile } from 'node:fs/promises'
import { type BlobLimits, type BlobSource, createFetchBlob } from '../blobs/fetch-blob.ts'
import { type CacheEntry, HEAD_BYTES, makeEntry, sealHead } from '../cache/cache-entry.ts'
import type { DiskCache } from '../cache/disk-cache.ts'
import { MediaError } from '../media-error.ts'
import type { BlobName } from '../media-path.ts'
import { olderKeys, pinnedKey } from '../pins/pinned-files.ts'
import { createSharedWork } from '../shared-work.ts'
import { onItsTime } from '../visitor.ts'
import { MAX_CAPTIONS_BYTES, readCues, UnfitCaptions, writeVtt } from './vtt.ts'

/** A caption file named by a post. */
export type CaptionBlob = { language: string; cid: string }

/** Posts' data about their videos; `rkey` names a post by the video's owner. */
export type VideoPosts = {
  captionsOf(name: BlobName, rkey: string): readonly CaptionBlob[]
  /** Whether the post is stored here and shows the video. */
  shows(name: BlobName, rkey: string): boolean
}

export type Captions = (name: BlobName) => Promise<CacheEntry>

const VTT_TYPE = 'text/vtt'

const LIMITS: BlobLimits = {
  maxBytes: MAX_CAPTIONS_BYTES,
  firstByteMs: 4000,
  timeoutMs: 10_000,
  slots: { inAll: 16, perHost: 4, waiting: 200 },
}

export function createCaptions({
  source,
  cache,
  now,
}: {
  source: BlobSource
  cache: DiskCache
  now?: (() => number) | undefined
}): Captions {
  const share = createSharedWork<CacheEntry>(now)
  const fetchBlob = createFetchBlob({ source, cache, limits: LIMITS, now })

  async function make(name: BlobName, key: string): Promise<CacheEntry> {
    const blob = await fetchBlob(name)
    try {
      const file = await readFile(blob.path)
      const entry = onItsTime(name.time, () => rewritten(file.subarray(HEAD_BYTES)))
      const { contentType, digest, body } = entry
      const to = await cache.reserve()
      await writeFile(to, [sealHead({ contentType, digest, length: body.length }), body], {
        mode: 0o600,
      })
      await cache.add(key, to)
      return entry
    } finally {
      await blob.drop()
    }
  }

  /** While the PDS is away, what an earlier Slipstream made of the file is better than nothing. */
  async function remake(name: BlobName, key: string): Promise<CacheEntry> {
    try {
      return await make(name, key)
    } catch (error) {
      for (const older of olderKeys('captions', name)) {
        const found = await cache.read(older)
        if (found) return found
      }
      throw error
    }
  }

  return (name) => {
    const key = pinnedKey('captions', name)
    return share(key, async () => (await cache.read(key)) ?? remake(name, key))
  }
}

/** @throws MediaError */
function rewritten(bytes: Buffer): CacheEntry {
  try {
    return makeEntry(VTT_TYPE, Buffer.from(writeVtt(readCues(bytes))))
  } catch (error) {
    if (!(error instanceof UnfitCaptions)) throw error
    throw new MediaError('refused', 'UnfitCaptions', error.message, { cause: error })
  }
}
