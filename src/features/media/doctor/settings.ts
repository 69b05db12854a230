// What is unfit about the settings of pictures and videos.

import { ConfigError } from '../../../base/config/config.ts'
import type { DoctorContext } from '../../../tools/doctor/context.ts'
import { type Finding, notice, wrong } from '../../../tools/doctor/finding.ts'
import { type MediaConfig, mediaConfig } from '../media-config.ts'
import { checkTrailer } from '../trailer/check-trailer.ts'

export function checkMediaSettings(doctor: DoctorContext): Finding[] {
  const config = mediaConfig(doctor.config)
  return [
    ...aboutCache(config),
    ...aboutTrailer(config),
    ...aboutPins(config),
    ...aboutLowerQualities(config),
  ]
}

function aboutCache({ videos, imageCacheMb }: MediaConfig): Finding[] {
  if (videos === 'cdn' || imageCacheMb >= 512) return []
  const text = `videos of up to 100 MB share a cache of ${imageCacheMb} MB`
  return [notice(text, 'Set SLIPSTREAM_IMAGE_CACHE_MB=2048 or more.')]
}

/** The same check as at start, where it would stop the server. */
function aboutTrailer({ videoTrailer }: MediaConfig): Finding[] {
  if (videoTrailer === undefined) return []
  try {
    checkTrailer(videoTrailer)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [wrong(error.message, error.hint)]
  }
}

function aboutLowerQualities({ videoLowerQualities, videos }: MediaConfig): Finding[] {
  if (videoLowerQualities.length === 0 || videos === 'own') return []
  const text = `SLIPSTREAM_VIDEO_LOWER_QUALITIES is set, but with SLIPSTREAM_VIDEOS=${videos} none are made`
  return [wrong(text, 'Set SLIPSTREAM_VIDEOS=own, or leave SLIPSTREAM_VIDEO_LOWER_QUALITIES out.')]
}

function aboutPins({ mediaPin, videos }: MediaConfig): Finding[] {
  if (mediaPin.length === 0 || videos === 'own') return []
  const text = `SLIPSTREAM_MEDIA_PIN is set, but with SLIPSTREAM_VIDEOS=${videos} nothing is pinned`
  return [wrong(text, 'Set SLIPSTREAM_VIDEOS=own, or leave SLIPSTREAM_MEDIA_PIN out.')]
}
