// Uploaded videos and pictures: read from disk, or fetched whole, verified and cached. The bytes must match
// their CID before any of them is sent.

import { MINUTE_MS } from '../../base/util/durations.ts'
import {
  type BlobFile,
  type BlobLimits,
  type BlobSource,
  createFetchBlob,
  MEDIA_PACE,
} from './blobs/fetch-blob.ts'
import { pictureFormat, videoType } from './blobs/sniff.ts'
import type { DiskCache, OpenedEntry } from './cache/disk-cache.ts'
import { writeHead } from './cache/file-writer.ts'
import { MediaError } from './media-error.ts'
import type { BlobName } from './media-path.ts'
import { createSharedWork } from './shared-work.ts'

export type Videos = {
  /** The caller closes the entry's file. */
  open(name: BlobName): Promise<OpenedEntry>
  /** For work on the video's file, which is then not cached. */
  withFile<T>(name: BlobName, work: (file: VideoFile) => Promise<T>): Promise<T>
}

/** `host`: the server it came from, if it was just fetched. */
export type VideoFile = { path: string; host: string }

export type Originals = Pick<Videos, 'open'>

type VideosOptions = {
  source: BlobSource
  cache: DiskCache
  now?: (() => number) | undefined
}

type Video = BlobFile & { contentType: string }

type Kind = {
  /** Name in cache keys. */
  name: string
  limits: BlobLimits
  /** Detects the type by the blob's first bytes; undefined for other types. */
  typeOf: (beginning: Buffer) => string | undefined
  refusal: () => MediaError
}

const LIMITS: BlobLimits = {
  /** The limit in the lexicon of app.bsky.embed.video. */
  maxBytes: 100_000_000,
  firstByteMs: 5000,
  timeoutMs: MINUTE_MS,
  leastPace: MEDIA_PACE,
  slots: { inAll: 8, perHost: 1, waiting: 64 },
}

const VIDEO: Kind = {
  name: 'video',
  limits: LIMITS,
  typeOf: videoType,
  refusal: () => new MediaError('refused', 'NotAVideo', 'the blob is not a video'),
}

const PICTURE: Kind = {
  name: 'original',
  limits: {
    maxBytes: 5 * 1024 * 1024,
    firstByteMs: 5000,
    timeoutMs: 15_000,
    leastPace: MEDIA_PACE,
    slots: { inAll: 8, perHost: 2, waiting: 64 },
  },
  typeOf(beginning) {
    const format = pictureFormat(beginning)
    return format && `image/${format}`
  },
  refusal: () => new MediaError('missing', 'BlobNotFound', 'the blob is not a picture'),
}

/** @throws MediaError from the returned functions, as does the next. */
export function createVideos(options: VideosOptions): Videos {
  return createOriginals(VIDEO, options)
}

export function createPictures(options: VideosOptions): Originals {
  return createOriginals(PICTURE, options)
}

function createOriginals(kind: Kind, { source, cache, now }: VideosOptions): Videos {
  const share = createSharedWork<void>(now)
  const fetchBlob = createFetchBlob({ source, cache, limits: kind.limits, now })
  const keyOf = ({ did, cid }: BlobName) => `${kind.name} ${did} ${cid}`

  async function withFetched<T>(name: BlobName, work: (blob: Video) => Promise<T>): Promise<T> {
    const blob = await fetchBlob(name)
    try {
      const contentType = kind.typeOf(blob.beginning)
      if (!contentType) throw kind.refusal()
      return await work({ ...blob, contentType })
    } finally {
      await blob.drop()
    }
  }

  const fetchAndStore = (name: BlobName, key: string) =>
    withFetched(name, async (video) => {
      await writeHead(video.path, video)
      await cache.add(key, video.path)
    })

  return {
    async open(name) {
      const key = keyOf(name)
      const found = await cache.open(key)
      if (found) return found
      await share(key, () => fetchAndStore(name, key))
      const fetched = await cache.open(key)
      if (fetched) return fetched
      throw new MediaError('busy', 'NoRoom', 'the server has no room to keep it')
    },

    async withFile(name, work) {
      const found = await cache.open(keyOf(name))
      if (!found) return withFetched(name, work)
      await found.file.close()
      return work({ path: found.path, host: '' })
    },
  }
}
