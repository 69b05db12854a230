// A video in pieces for a player: cut in the media process when it is first asked for, and kept so. Browsers'
// players of clients take HLS only, so this is what makes a video playable without anybody's video service.

import { rm } from 'node:fs/promises'
import { HEAD_BYTES } from '../cache-entry.ts'
import { type CutFile, readIndex } from '../cut-file.ts'
import type { DiskCache, OpenedEntry } from '../disk-cache.ts'
import { MediaError } from '../media-error.ts'
import type { BlobName } from '../media-path.ts'
import type { MediaProcess } from '../process/media-process.ts'
import { createSharedWork } from '../shared-work.ts'
import type { Videos } from '../videos.ts'

export type CutVideo = { entry: OpenedEntry; cut: CutFile }

/** The entry's file is the caller's to close. @throws MediaError */
export type Hls = (name: BlobName) => Promise<CutVideo>

type HlsOptions = {
  videos: Pick<Videos, 'withFile'>
  cache: DiskCache
  process: Pick<MediaProcess, 'run'>
  now?: (() => number) | undefined
}

export function createHls({ videos, cache, process, now }: HlsOptions): Hls {
  const share = createSharedWork<void>(now)

  function cutAndKeep(name: BlobName, key: string): Promise<void> {
    return videos.withFile(name, async ({ path, host }) => {
      const to = await cache.reserve()
      try {
        await process.run({ kind: 'video', from: path, to }, [name.did, host])
        await cache.keep(key, to)
      } finally {
        await rm(to, { force: true })
      }
    })
  }

  return async (name) => {
    const key = `cut 1 ${name.did} ${name.cid}`
    const found = await openCut(cache, key)
    if (found) return found
    await share(key, () => cutAndKeep(name, key))
    const cut = await openCut(cache, key)
    if (cut) return cut
    throw new MediaError('busy', 'NoRoom', 'the server has no room to keep the video')
  }
}

/** One whose index is torn is made anew. */
async function openCut(cache: DiskCache, key: string): Promise<CutVideo | undefined> {
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
