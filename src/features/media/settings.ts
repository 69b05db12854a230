// The settings of pictures and videos, besides where they are from and their addresses, which views need.

import { did, flag, integer, list, path, Unfit } from '../../base/config/parsers.ts'
import { optional, setting } from '../../base/config/setting.ts'

export const mediaSettings = {
  videoStatsDays: setting(
    'VIDEO_STATS_DAYS',
    '90',
    integer(0, 3650),
    'Days to keep how long videos were watched, by post and day, never by viewer; authors may read the figures of their own videos (io.slipstream.video.getStats). 0: count nothing, and delete earlier counts.',
  ),
  videoPreviews: setting(
    'VIDEO_PREVIEWS',
    'on',
    flag,
    'With VIDEOS=own, use a frame of each video as its preview image; the video is fetched for it when its post is first viewed, and a decoder must be installed (docs/VIDEO.md). off: a plain surface.',
  ),
  videoLowerQualities: setting(
    'VIDEO_LOWER_QUALITIES',
    '',
    qualities,
    'With VIDEOS=own, lower qualities to encode of each watched video, for slow connections: short sides in pixels from 144 to 720, three at most, for example 480,240. Each takes minutes of one core at the lowest priority, and needs an encoder (docs/VIDEO.md). Unset: none.',
  ),
  mediaPin: setting(
    'MEDIA_PIN',
    '',
    pinned,
    'With VIDEOS=own, accounts whose videos, previews and captions are fetched when posted and kept permanently: members, DIDs, or both, separated by commas. Unset: none.',
  ),
  mediaPinMb: setting(
    'MEDIA_PIN_MB',
    '10240',
    integer(64, 100_000_000),
    'Megabytes of disk for MEDIA_PIN, in addition to IMAGE_CACHE_MB; beyond that, nothing more is pinned.',
  ),
  videoTrailer: optional(
    'VIDEO_TRAILER',
    path,
    'MP4 file of up to 30 seconds and 16 MB, H.264 with sound in AAC, that players show after each video that it fits (docs/VIDEO.md). Unset: none.',
  ),
  imageCacheMb: setting(
    'IMAGE_CACHE_MB',
    '2048',
    integer(64, 100_000_000),
    'Megabytes of disk for the cache of images, videos and captions.',
  ),
}

function qualities(value: string): number[] {
  const sides = list(value).map(integer(144, 720))
  if (new Set(sides).size === sides.length && sides.length <= 3) return sides
  throw new Unfit('up to three whole numbers from 144 to 720, each once')
}

function pinned(value: string): string[] {
  const whose = list(value)
  for (const value of whose) if (value !== 'members' && !isDid(value)) throw notOne(value)
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
