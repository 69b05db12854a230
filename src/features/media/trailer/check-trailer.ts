// Checks the operator's trailer at start: whether every player can play it after any other video. It is never
// re-encoded, so it has to qualify as it is; otherwise the error says what to do.

import { hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { ConfigError } from '../../../base/config/config.ts'
import { Mp4Error } from '../mp4/boxes.ts'
import { describeInit } from '../mp4/describe-init.ts'
import { type CutPlan, planCut } from '../mp4/plan-cut.ts'

export type TrailerFile = {
  path: string
  /** SHA-256 in hexadecimal. */
  digest: string
}

const MAX_TRAILER_BYTES = 16_000_000
const MAX_SECONDS = 30
/** H.264 up to High, AAC-LC: what a video service encodes to, and every HLS player supports. */
const CODECS = /^avc1\.(42|4d|64)([0-9a-f]{2})([0-9a-f]{2}),mp4a\.40\.2$/
/** Full HD at sixty pictures a second. */
const MAX_LEVEL = 42
const RECIPE =
  'ffmpeg -i trailer.mov -t 30 -c:v libx264 -profile:v high -level 4.0 -pix_fmt yuv420p -c:a aac -ac 2 -movflags +faststart trailer.mp4 makes one'

/** @throws ConfigError if it is not a video, or does not qualify. */
export function checkTrailer(path: string): TrailerFile {
  try {
    const bytes = readTrailer(path)
    const plan = planOf(path)
    checkLength(plan)
    checkCodecs(plan)
    return { path, digest: hash('sha256', bytes) }
  } catch (error) {
    if (error instanceof ConfigError) throw error
    if (error instanceof Mp4Error)
      throw unfit(path, `is not an MP4 that can be cut (${error.message})`)
    if (error instanceof UnfitTrailer) throw unfit(path, error.message)
    const { message } = error as Error
    const hint =
      'Name an MP4 that the user that runs Slipstream may read, or leave the setting out.'
    throw new ConfigError(`SLIPSTREAM_VIDEO_TRAILER: ${path} cannot be read: ${message}.`, hint)
  }
}

class UnfitTrailer extends Error {}

function readTrailer(path: string): Buffer {
  const fd = openSync(path, 'r')
  try {
    const file = fstatSync(fd)
    if (!file.isFile()) throw new UnfitTrailer('is not a file')
    if (file.size > MAX_TRAILER_BYTES) {
      throw new UnfitTrailer(`has ${file.size} bytes, of ${MAX_TRAILER_BYTES} at most`)
    }
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

function planOf(path: string): CutPlan {
  const fd = openSync(path, 'r')
  try {
    return planCut({ fd, begin: 0, length: fstatSync(fd).size })
  } finally {
    closeSync(fd)
  }
}

function checkLength({ pieces }: CutPlan): void {
  const seconds = pieces.reduce((sum, { segment }) => sum + segment.durationSeconds, 0)
  if (seconds > MAX_SECONDS || seconds === 0) {
    throw new UnfitTrailer(`takes ${seconds.toFixed(1)} seconds, of ${MAX_SECONDS} at most`)
  }
}

function checkCodecs({ init }: CutPlan): void {
  const { codecs } = describeInit(init)
  const [, , , level = ''] = CODECS.exec(codecs ?? '') ?? []
  if (level !== '' && Number.parseInt(level, 16) <= MAX_LEVEL) return
  const has = codecs ?? 'what has no name here'
  throw new UnfitTrailer(`has ${has}, not pictures in H.264 (to level 4.2) and sound in AAC-LC`)
}

function unfit(path: string, what: string): ConfigError {
  return new ConfigError(
    `SLIPSTREAM_VIDEO_TRAILER: ${path} ${what}.`,
    `It is an MP4 of up to ${MAX_SECONDS} seconds and 16 MB in H.264 with sound in AAC-LC; ${RECIPE}.`,
  )
}
