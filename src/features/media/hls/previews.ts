// Previews of videos from their own PDSs: one frame, made on first request and cached. This fetches the whole
// video, since a part of it cannot be verified, and cuts it at the same time, so that it then plays without
// delay. A request waits for a few seconds at most; until the preview exists, a plain surface is shown.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../../base/obs/log.ts'
import { askerClaim, tooMany } from '../blobs/blob-slots.ts'
import { createFairSlots } from '../blobs/fair-slots.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import type { DiskCache } from '../cache/disk-cache.ts'
import { MediaError } from '../media-error.ts'
import type { BlobName } from '../media-path.ts'
import { NO_THUMBNAIL } from '../no-thumbnail.ts'
import { pinnedKey } from '../pins/pinned-files.ts'
import { makeAndStore } from '../process/make-and-store.ts'
import type { MediaProcess } from '../process/media-process.ts'
import { createSharedWork } from '../shared-work.ts'
import type { VideoFile, Videos } from '../videos.ts'
import type { Hls } from './cut-videos.ts'
import { NO_DECODER } from './no-decoder.ts'

/** Returns `NO_THUMBNAIL` if there is no preview, or none yet. */
export type Previews = (name: BlobName) => Promise<CacheEntry>

type PreviewsOptions = {
  videos: Pick<Videos, 'withFile'>
  hls: Hls
  cache: DiskCache
  process: Pick<MediaProcess, 'run'>
  log: Pick<Logger, 'warn'>
  now: () => number
  isFollowed: (did: string) => boolean
  /** How long a request waits for a preview. */
  maxWaitMs?: number | undefined
}

/** Half of all concurrent video fetches; the rest is for viewers who play one. */
const LIMITS = { inAll: 4, waiting: 32 }
const MAX_WAIT_MS = 8_000

export function createPreviews(options: PreviewsOptions): Previews {
  const { videos, hls, cache, process, log, now, maxWaitMs = MAX_WAIT_MS } = options
  const slots = createFairSlots({ waiting: LIMITS.waiting, full: tooMany })
  const share = createSharedWork<void>(now)
  let hasDecoder = true

  function render(name: BlobName, { path, host }: VideoFile, key: string): Promise<void> {
    const jobTo = (to: string) => ({ kind: 'preview', from: path, to }) as const
    return makeAndStore({ cache, process }, { key, jobTo, payers: [name.did, host] })
  }

  /** Renders from the file being cut, or fetches it again if it was cut before. */
  async function make(name: BlobName, key: string): Promise<void> {
    let rendered: PromiseSettledResult<void> | undefined
    const { entry } = await hls(name, async (file) => {
      ;[rendered] = await Promise.allSettled([render(name, file, key)])
    })
    await entry.file.close()
    if (rendered?.status === 'rejected') throw rendered.reason
    if (!rendered) await videos.withFile(name, (file) => render(name, file, key))
  }

  async function inTurn(name: BlobName, key: string): Promise<void> {
    const { did, asker } = name
    const who = { did, asker, isFollowed: options.isFollowed(did) }
    const leave = await slots.take(askerClaim(LIMITS.inAll, who)).entered
    await make(name, key).finally(leave)
  }

  function begin(name: BlobName, key: string): Promise<void> {
    const making = share(key, () => inTurn(name, key))
    return making.catch((error: unknown) => {
      if (!(error instanceof MediaError)) log.warn({ err: error }, 'a preview could not be made')
      if (!(error instanceof MediaError) || error.error !== 'NoDecoder' || !hasDecoder) return
      hasDecoder = false
      log.warn({}, `videos have no previews: ${NO_DECODER}`)
    })
  }

  return async (name) => {
    const key = pinnedKey('preview', name)
    const cached = await cache.read(key)
    if (cached) return cached
    if (!hasDecoder) return NO_THUMBNAIL
    await Promise.race([begin(name, key), sleep(maxWaitMs, undefined, { ref: false })])
    return (await cache.read(key)) ?? NO_THUMBNAIL
  }
}
