// A blob becomes a picture of the size that was asked for: decoded, turned as its EXIF says, cut or
// shrunk, encoded anew. What goes out was made here, so nothing that a blob hides behind its pixels
// (scripts, places, other formats) reaches a browser. Of an animation the first frame is shown.
//
// sharp (libvips) is loaded with the first picture: who uses a CDN pays nothing for it. Loaders of
// other formats than those in sniff.ts are blocked, and a picture's pixels are counted before they are
// decoded: a bomb of a few kilobytes says in its head how large it is.

import type { Sharp } from 'sharp'
import { createLimiter, type Limiter } from '../identity/limiter.ts'
import { MediaError } from './media-error.ts'
import { type Format, type Preset, targetSize } from './presets.ts'
import { pictureFormat } from './sniff.ts'

export type RenderImage = (
  blob: Buffer,
  wish: { preset: Preset; format: Format },
) => Promise<Buffer>

type SharpModule = typeof import('sharp')['default']

const MAX_PIXELS = 64_000_000
const TIMEOUT_SECONDS = 10
/** Pictures that wait for their turn; each holds its blob in memory. */
const MAX_WAITING = 32
const JPEG_QUALITY = 85
const WEBP_QUALITY = 82
/** Of 0 to 6: half of the time of the default, a few per cent more bytes. */
const WEBP_EFFORT = 2

/**
 * Formats that libvips could read and that never come this far (sniff.ts). Named one by one: to forbid all
 * and allow some again would disturb another thread that is decoding, since the list is the process's.
 */
const BLOCKED_LOADERS = [
  ...['Svg', 'Pdf', 'Magick', 'Magick7', 'Tiff', 'Jxl', 'Jp2k', 'Openexr', 'Openslide', 'Fits'],
  ...['Mat', 'Analyze', 'Nifti', 'Ppm', 'Rad', 'Csv', 'Matrix', 'Raw', 'Vips'],
]

/** `maxRunning` pictures at once. */
export function createRenderImage({ maxRunning }: { maxRunning: number }): RenderImage {
  const limiter: Limiter = createLimiter({
    maxRunning,
    maxWaiting: MAX_WAITING,
    full: () => new MediaError('busy', 'Busy', 'too many pictures at once'),
  })
  let loading: Promise<SharpModule> | undefined

  return async function renderImage(blob, wish) {
    if (!pictureFormat(blob)) throw notAnImage('its first bytes are those of no picture')
    loading ??= loadSharp()
    const sharp = await loading
    return limiter.run(() => render(sharp, blob, wish))
  }
}

async function loadSharp(): Promise<SharpModule> {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: BLOCKED_LOADERS.map((name) => `VipsForeignLoad${name}`) })
  return sharp
}

async function render(
  sharp: SharpModule,
  blob: Buffer,
  { preset, format }: { preset: Preset; format: Format },
): Promise<Buffer> {
  try {
    const picture = sharp(blob, { limitInputPixels: MAX_PIXELS, failOn: 'truncated', pages: 1 })
    const { autoOrient } = await picture.metadata()
    const size = targetSize(preset, autoOrient)
    const resized = picture
      .autoOrient()
      .resize({ ...size, fit: preset.fit === 'cover' ? 'cover' : 'fill' })
      .timeout({ seconds: TIMEOUT_SECONDS })
    return await encode(resized, format)
  } catch (error) {
    throw toMediaError(error)
  }
}

/** A JPEG has no transparency; white is what was behind most pictures that had. */
function encode(picture: Sharp, format: Format): Promise<Buffer> {
  if (format === 'webp') {
    return picture.webp({ quality: WEBP_QUALITY, effort: WEBP_EFFORT }).toBuffer()
  }
  return picture.flatten({ background: '#ffffff' }).jpeg({ quality: JPEG_QUALITY }).toBuffer()
}

function toMediaError(error: unknown): MediaError {
  const message = error instanceof Error ? error.message : String(error)
  if (/pixel limit/i.test(message)) {
    return new MediaError('refused', 'ImageTooLarge', `more than ${MAX_PIXELS} pixels`, {
      cause: error,
    })
  }
  if (/timeout/i.test(message)) {
    return new MediaError('refused', 'ImageTooLarge', 'the picture takes too long to decode', {
      cause: error,
    })
  }
  return notAnImage('it cannot be decoded', error)
}

function notAnImage(why: string, cause?: unknown): MediaError {
  return new MediaError('refused', 'NotAnImage', `the blob is no picture: ${why}`, { cause })
}
