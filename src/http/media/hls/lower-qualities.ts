// Lower qualities of videos that come from here, for slow lines: made of the pieces on the disk when a playlist is first
// asked for, one after the other in a process of their own, and kept with the rest. Nobody waits for one: until it is
// there, and where none can be made, the playlist names the others. One thread makes them; others tell it which.

import { BroadcastChannel } from 'node:worker_threads'
import type { Logger } from '../../../base/obs/log.ts'
import { createLimiter } from '../../../base/util/limiter.ts'
import type { DiskCache } from '../disk-cache.ts'
import { MediaError } from '../media-error.ts'
import type { BlobName } from '../media-path.ts'
import { pinnedKey } from '../pins/pinned-files.ts'
import { makeAndKeep } from '../process/make-and-keep.ts'
import type { MediaProcess } from '../process/media-process.ts'
import { createSharedWork } from '../shared-work.ts'
import { type CutVideo, openCut } from './cut-videos.ts'
import { NO_ENCODER } from './no-decoder.ts'
import type { Variant } from './playlist.ts'

export type LowerQualities = {
  /** Short sides in pixels of those that a video is large enough for, the largest first. */
  fitFor(uploaded: Variant): number[]
  /** The entry's file is the caller's to close. */
  open(name: BlobName, shortSide: number): Promise<CutVideo | undefined>
  /** Returns at once. */
  request(name: BlobName, shortSide: number): void
}

export type LowerOptions = {
  shortSides: readonly number[]
  /** For nothing else, since each takes minutes; undefined where another thread makes them. */
  encoder: Pick<MediaProcess, 'run'> | undefined
}

type LowerQualitiesOptions = LowerOptions & {
  cache: DiskCache
  dataDir: string
  log: Pick<Logger, 'warn'>
  now: () => number
}

type Request = { name: BlobName; shortSide: number }

/** Beyond those, whoever asks later asks again. */
const LIMITS = { maxRunning: 1, maxWaiting: 100 }
/** Of the uploaded one's short side and the lower one's. */
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
    await makeAndKeep({ cache, process: encoder! }, { key, jobTo, payers: [name.did] })
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
