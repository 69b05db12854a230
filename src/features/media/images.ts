// Serves a picture by name from disk, or fetches, renders and caches it. Concurrent requests for a missing
// picture share one fetch and one rendering; concurrent requests for several sizes of a blob share its fetch.

import {
  type BlobFile,
  type BlobLimits,
  type BlobSource,
  createFetchBlob,
  MEDIA_PACE,
} from './blobs/fetch-blob.ts'
import type { CacheEntry } from './cache/cache-entry.ts'
import type { DiskCache } from './cache/disk-cache.ts'
import { MediaError } from './media-error.ts'
import type { BlobName, ImageName } from './media-path.ts'
import { makeAndStore } from './process/make-and-store.ts'
import type { MediaProcess } from './process/media-process.ts'
import { createSharedWork } from './shared-work.ts'

/** `isCached`: it was cached already. */
export type Images = (name: ImageName) => Promise<{ picture: CacheEntry; isCached: boolean }>

export type ImagesOptions = {
  source: BlobSource
  cache: DiskCache
  process: Pick<MediaProcess, 'run'>
  now?: (() => number) | undefined
  maxWait?: Partial<Pick<BlobLimits, 'firstByteMs' | 'timeoutMs'>> | undefined
}

const LIMITS: BlobLimits = {
  /** Lexicons allow two megabytes at most; other software is less strict. */
  maxBytes: 5 * 1024 * 1024,
  firstByteMs: 4000,
  timeoutMs: 15_000,
  leastPace: MEDIA_PACE,
  /** A slot is held until the picture is rendered, which also bounds the blobs on disk. */
  slots: { inAll: 96, perHost: 8, waiting: 2000 },
}

/** @throws MediaError from the returned function. */
export function createImages(options: ImagesOptions): Images {
  const { source, cache, process, now, maxWait } = options
  const limits = { ...LIMITS, ...maxWait }
  const withBlob = createSharedBlobs(createFetchBlob({ source, cache, limits, now }), now)
  const shareImage = createSharedWork<Awaited<ReturnType<Images>>>(now)

  async function make(name: ImageName, key: string): Promise<CacheEntry> {
    const { did, preset, format } = name
    return withBlob(name, async (blob) => {
      const jobTo = (to: string) =>
        ({ kind: 'picture', from: blob.path, to, preset, format }) as const
      await makeAndStore({ cache, process }, { key, jobTo, payers: [did, blob.host] })
      const made = await cache.read(key)
      if (made) return made
      throw new MediaError('busy', 'NoRoom', 'the server has no room to keep the picture')
    })
  }

  return (name) => {
    const key = `image ${name.presetName} ${name.format} ${name.did} ${name.cid}`
    return shareImage(key, async () => {
      const cached = await cache.read(key)
      return { picture: cached ?? (await make(name, key)), isCached: cached !== undefined }
    })
  }
}

type WithBlob = <T>(name: BlobName, work: (blob: BlobFile) => Promise<T>) => Promise<T>

/** Keeps a blob's file for as long as it is in use. */
function createSharedBlobs(
  fetchBlob: (name: BlobName) => Promise<BlobFile>,
  now: ImagesOptions['now'],
): WithBlob {
  const share = createSharedWork<BlobFile>(now)
  const users = new Map<string, { count: number; blob: Promise<BlobFile> }>()

  return async (name, work) => {
    const key = `${name.did} ${name.cid}`
    const known = users.get(key)
    const used = known ?? { count: 0, blob: share(key, () => fetchBlob(name)) }
    users.set(key, used)
    used.count += 1
    try {
      return await work(await used.blob)
    } finally {
      used.count -= 1
      if (used.count === 0) {
        users.delete(key)
        await used.blob.then((blob) => blob.drop()).catch(() => undefined) // fetch failed
      }
    }
  }
}
