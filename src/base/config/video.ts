// Video settings other than the videos' origin.

import { did, flag, integer, list, text, Unfit } from './parsers.ts'
import { optional, setting } from './setting.ts'

export const videoSettings = {
  videoPreviews: setting(
    'VIDEO_PREVIEWS',
    'on',
    flag,
    'With VIDEOS=own, a frame of each video as its preview picture; the video is fetched for that when somebody first sees its post, and a decoder must be installed (docs/VIDEO.md). off: a plain surface.',
  ),
  videoLowerQualities: setting(
    'VIDEO_LOWER_QUALITIES',
    '',
    qualities,
    'With VIDEOS=own, lower qualities to make of each video that is watched, for slow lines: short sides in pixels from 144 to 720, three at most, such as 480,240. Each takes minutes of one core at the lowest priority, and an encoder must be installed (docs/VIDEO.md). Unset: none.',
  ),
  mediaPin: setting(
    'MEDIA_PIN',
    '',
    pinned,
    'With VIDEOS=own, whose videos, previews and captions are fetched as they are posted and kept for good: members, DIDs, or both, separated by commas. Unset: nobody’s.',
  ),
  mediaPinMb: setting(
    'MEDIA_PIN_MB',
    '10240',
    integer(64, 100_000_000),
    'Megabytes of disk that MEDIA_PIN may take, beside IMAGE_CACHE_MB; beyond them nothing new is pinned.',
  ),
  videoTrailer: optional(
    'VIDEO_TRAILER',
    text,
    'MP4 file of up to 30 seconds and 16 MB, H.264 with sound in AAC, that players show at the end of each video that it fits (docs/VIDEO.md). Unset: none.',
  ),
}

function qualities(value: string): number[] {
  const sides = list(value).map(integer(144, 720))
  if (new Set(sides).size === sides.length && sides.length <= 3) return sides
  throw new Unfit('up to three whole numbers from 144 to 720, each once')
}

function pinned(value: string): string[] {
  const whose = list(value)
  for (const one of whose) if (one !== 'members' && !isDid(one)) throw notOne(one)
  return whose
}

function isDid(text: string): boolean {
  try {
    return did(text) === text
  } catch {
    return false
  }
}

function notOne(text: string): Unfit {
  return new Unfit(`the word members, or DIDs, separated by commas; "${text}" is neither`)
}
