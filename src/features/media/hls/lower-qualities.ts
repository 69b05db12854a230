// Lower qualities, for slow connections, of videos served from here: encoded from the cut video when its
// playlist is first requested, one at a time in a separate process, and cached. No request waits for them:
// until a quality exists, or if it cannot be made, the playlist lists the others. One thread encodes; others
// send it requests.

import { BroadcastChannel } from 'node:worker_threads'
import type { Logger } from '../../../base/obs/log.ts'
import { createLimiter } from '../../../base/util/limiter.ts'
import type { DiskCache } from '../cache/disk-cache.ts'
import { MediaError } from '../media-error.ts'
import type { BlobName } from '../media-path.ts'
import { pinnedKey } from '../pins/pinned-files.ts'
import { makeAndStore } from '../process/make-and-store.ts'
import type { MediaProcess } from '../process/media-process.ts'
import { createSharedWork } from '../shared-work.ts'
import { type CutVideo, openCut } from './cut-videos.ts'
import { NO_ENCODER } from './no-decoder.ts'
import type { Variant } from './playlist.ts'

export type LowerQualities = {
  /** Short sides in pixels that the video is large enough for, largest first. */
  fitFor(uploaded: Variant): number[]
  /** The caller closes the entry's file. */
  open(name: BlobName, shortSide: number): Promise<CutVideo | undefined>
  /** Returns immediately. */
  request(name: BlobName, shortSide: number): void
}

export type LowerOptions = {
  shortSides: readonly number[]
  /** Dedicated to this, since each job takes minutes; undefined if another thread encodes. */
  encoder: Pick<MediaProcess, 'run'> | undefined
}

type LowerQualitiesOptions = LowerOptions & {
  cache: DiskCache
  dataDir: string
  log: Pick<Logger, 'warn'>
  now: () => number
}

type Request = { name: BlobName; shortSide: number }

/** Requests beyond these are dropped; the next playlist request repeats them. */
const LIMITS = { maxRunning: 1, maxWaiting: 100 }
/** Least ratio of the uploaded video's short side to the lower one's. */
const LEAST_RATIO = 4 / 3

export function createLowerQualities(options: LowerQualitiesOptions): LowerQualities {
  const { shortSides, cache, dataDir } = options
  const make = createMaker(options)
  const channel = new BroadcastChannel(`lower qualities ${dataDir}`)
  channel.unref()
  channel.onmessage = (message) => void make?.((message as { data: Request }).data)
  const descending = [...shortSides].sort((a, b) => b - a)

  return {
    fitFor({ codecs, width = 0, height = 0 }) {
      if (!codecs?.startsWith('avc1.')) return []
      const side = Math.min(width, height)
      return descending.filter((shortSide) => side >= shortSide * LEAST_RATIO)
    },
    async open(name, shortSide) {
      return shortSides.includes(shortSide) ? openCut(cache, keyOf(name, shortSide)) : undefined
    },
    request(name, shortSide) {
      if (make) void make({ name, shortSide })
      else channel.postMessage({ name, shortSide })
    },
  }
}

function createMaker({ encoder, cache, log, now }: LowerQualitiesOptions) {
  if (!encoder) return undefined
  const full = () => new MediaError('busy', 'Busy', 'too many lower qualities at once')
  const limiter = createLimiter({ ...LIMITS, full })
  const share = createSharedWork<void>(now)
  let hasEncoder = true

  async function encode({ name, shortSide }: Request): Promise<void> {
    const found = await cache.open(pinnedKey('cut', name))
    if (!found || !hasEncoder) return
    await found.file.close()
    const jobTo = (to: string) => ({ kind: 'lower', from: found.path, to, shortSide }) as const
    const key = keyOf(name, shortSide)
    await makeAndStore({ cache, process: encoder! }, { key, jobTo, payers: [name.did] })
  }

  return async (request: Request): Promise<void> => {
    const key = keyOf(request.name, request.shortSide)
    try {
      await share(key, () => limiter.run(() => encode(request)))
    } catch (error) {
      if (!(error instanceof MediaError)) log.warn({ err: error }, 'a lower quality was not made')
      if (!(error instanceof MediaError) || error.error !== 'NoDecoder' || !hasEncoder) return
      hasEncoder = false
      log.warn({}, `videos have one quality: ${NO_ENCODER}`)
    }
  }
}

function keyOf({ did, cid }: BlobName, shortSide: number): string {
  return `cut at ${shortSide} 1 ${did} ${cid}`
}
