// Checks what decodes pictures and videos, by using it once.

import type { DoctorContext } from '../../../tools/doctor/context.ts'
import { here } from '../../../tools/doctor/cures.ts'
import { type Finding, good, notice, wrong } from '../../../tools/doctor/finding.ts'
import { messageOf } from '../../../tools/doctor/runtime.ts'
import { NO_DECODER, NO_ENCODER } from '../hls/no-decoder.ts'
import { type MediaConfig, mediaConfig } from '../media-config.ts'

export async function checkDecoders(doctor: DoctorContext): Promise<Finding[]> {
  const config = mediaConfig(doctor.config)
  return [await aboutSharp(config.images === 'own'), ...(await aboutCodecs(config))]
}

/** Needed only for serving our own images. */
async function aboutSharp(isNeeded: boolean): Promise<Finding> {
  try {
    const { default: sharp } = await import('sharp')
    const create = { width: 2, height: 2, channels: 3, background: '#fff' } as const
    await sharp({ create }).webp().toBuffer()
    return good(`sharp ${sharp.versions['sharp'] ?? ''} makes images`)
  } catch (error) {
    const text = `sharp does not load, so the server makes no images: ${messageOf(error)}`
    return isNeeded ? wrong(text, `${here.reinstall} Or set SLIPSTREAM_IMAGES=cdn.`) : notice(text)
  }
}

/** Because of its size and licence it is not installed by default (docs/VIDEO.md). */
async function aboutCodecs(config: MediaConfig): Promise<Finding[]> {
  const { videos, videoPreviews, videoLowerQualities } = config
  const hasLower = videoLowerQualities.length > 0
  if (videos !== 'own' || !(videoPreviews || hasLower)) return []
  try {
    await import('@napi-rs/webcodecs')
    const decodes = 'FFmpeg decodes video frames for previews'
    return [good(hasLower ? `${decodes}, and makes lower qualities` : decodes)]
  } catch {
    const missing = videoPreviews ? [notice(`videos have no previews: ${NO_DECODER}`)] : []
    if (!hasLower) return missing
    return [...missing, notice(`videos have one quality: ${NO_ENCODER}`)]
  }
}
