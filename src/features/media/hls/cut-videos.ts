// A video cut into pieces: the media process cuts it on first request, and the result is cached. Browser
// players of clients support only HLS, so this makes videos playable without a video service.

import { rm } from 'node:fs/promises'
import { HEAD_BYTES } from '../cache/cache-entry.ts'
import type { DiskCache, OpenedEntry } from '../cache/disk-cache.ts'
import { type CutFile, readIndex } from '../cut-file.ts'
import { MediaError } from '../media-error.ts'
import type { BlobName } from '../media-path.ts'
import { pinnedKey } from '../pins/pinned-files.ts'
import { makeAndStore } from '../process/make-and-store.ts'
import type { MediaProcess } from '../process/media-process.ts'
import { createSharedWork } from '../shared-work.ts'
import type { VideoFile, Videos } from '../videos.ts'

export type CutVideo = { entry: OpenedEntry; cut: CutFile }

/**
 * The caller closes the entry's file.
 * @param before - called with the source file if this call triggers the cut
 * @throws MediaError
 */
export type Hls = (name: BlobName, before?: BeforeCut) => Promise<CutVideo>
type BeforeCut = (file: VideoFile) => Promise<void>

type HlsOptions = {
  videos: Pick<Videos, 'withFile'>
  cache: DiskCache
  process: Pick<MediaProcess, 'run'>
  now?: (() => number) | undefined
}

export function createHls({ videos, cache, process, now }: HlsOptions): Hls {
  const share = createSharedWork<void>(now)

  function cutAndStore(name: BlobName, key: string, before?: BeforeCut): Promise<void> {
    return videos.withFile(name, async (file) => {
      await before?.(file)
      const { path, host } = file
      const jobTo = (to: string) => ({ kind: 'video', from: path, to }) as const
      await makeAndStore({ cache, process }, { key, jobTo, payers: [name.did, host] })
    })
  }

  return async (name, before) => {
    const key = pinnedKey('cut', name)
    const make = () => share(key, () => cutAndStore(name, key, before))
    return openOrMake(cache, { key, make, what: 'the video' })
  }
}

/**
 * @param make - resolves once the video is made and cached
 * @throws MediaError if there was no room for it, and the errors of `make`
 */
export async function openOrMake(
  cache: DiskCache,
  { key, make, what }: { key: string; make: () => Promise<void>; what: string },
): Promise<CutVideo> {
  const found = await openCut(cache, key)
  if (found) return found
  await make()
  const made = await openCut(cache, key)
  if (made) return made
  throw new MediaError('busy', 'NoRoom', `the server has no room to keep ${what}`)
}

/** Removes a video with a torn index, so that it is made again. */
export async function openCut(
  cache: Pick<DiskCache, 'open'>,
  key: string,
): Promise<CutVideo | undefined> {
  const entry = await cache.open(key)
  if (!entry) return undefined
  try {
    return { entry, cut: await readIndex(entry.file, { at: HEAD_BYTES, length: entry.length }) }
  } catch {
    await entry.file.close()
    await rm(entry.path, { force: true })
    return undefined
  }
}
