// Files of a video service served through our server, cached on disk: pieces unchanged, and the preview,
// which is decoded and re-encoded like any picture.

import type { CacheEntry } from '../cache/cache-entry.ts'
import type { DiskCache, OpenedEntry } from '../cache/disk-cache.ts'
import { MediaError } from '../media-error.ts'
import type { BlobName } from '../media-path.ts'
import { presets } from '../presets.ts'
import { makeAndStore } from '../process/make-and-store.ts'
import type { MediaProcess } from '../process/media-process.ts'
import { createSharedWork } from '../shared-work.ts'
import type { PieceKind, VideoService } from './fetch-playlist.ts'

type ServiceFiles = {
  /** The caller closes the entry's file. */
  piece(url: string, of: BlobName): Promise<OpenedEntry>
  thumbnail(url: string, of: BlobName): Promise<CacheEntry>
}

type ServiceFilesOptions = {
  service: Pick<VideoService, 'addPiece'>
  cache: DiskCache
  process: Pick<MediaProcess, 'run'>
  now: () => number
}

/** @throws MediaError */
export function createServiceFiles({
  service,
  cache,
  process,
  now,
}: ServiceFilesOptions): ServiceFiles {
  const share = createSharedWork<void>(now)
  const shareThumbnail = createSharedWork<CacheEntry>(now)

  async function opened(url: string, kind: PieceKind, of: BlobName): Promise<OpenedEntry> {
    const key = `${kind} 1 ${url}`
    const found = await cache.open(key)
    if (found) return found
    await share(key, () => service.addPiece(url, { key, kind, of }))
    return (await cache.open(key)) ?? noSpace()
  }

  async function madeThumbnail(url: string, of: BlobName): Promise<CacheEntry> {
    const key = `thumbnail 1 ${url}`
    const made = await cache.read(key)
    if (made) return made
    const { file, path } = await opened(url, 'picture', of)
    await file.close()
    const preset = presets['feed_thumbnail']!
    const jobTo = (to: string) =>
      ({ kind: 'picture', from: path, to, preset, format: 'jpeg' }) as const
    await makeAndStore({ cache, process }, { key, jobTo, payers: [new URL(url).host] })
    return (await cache.read(key)) ?? noSpace()
  }

  return {
    piece: (url, of) => opened(url, 'piece', of),
    thumbnail: (url, of) => shareThumbnail(url, () => madeThumbnail(url, of)),
  }
}

function noSpace(): never {
  throw new MediaError('busy', 'NoRoom', 'the server has no room to keep it')
}
