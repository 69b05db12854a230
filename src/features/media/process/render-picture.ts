// Renders a blob as a picture of the requested size: decodes, rotates by EXIF, crops or shrinks, and
// re-encodes it, so nothing hidden behind its pixels (scripts, locations, other formats) reaches a browser.
// Shows an animation's first frame. Loaders for formats not in sniff.ts are blocked, and pixels are counted
// before decoding: a bomb of a few kilobytes states its size in its head.

import { readFile, writeFile } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import { pictureFormat } from '../blobs/sniff.ts'
import { HEAD_BYTES, makeEntry, sealHead } from '../cache/cache-entry.ts'
import { type Format, targetSize } from '../presets.ts'
import { type PictureJob, RefusedBlob } from './jobs.ts'

const MAX_PIXELS = 33_000_000
/** AVIF is decoded whole, and in three copies. */
const MAX_AVIF_PIXELS = 16_000_000
/**
 * JPEG's maximum. A column of 33 million rows takes few bytes, but a quarter of a minute to render.
 */
const MAX_SIDE = 65_535
const JPEG_QUALITY = 85
const WEBP_QUALITY = 82
/** From 0 to 6: takes half the time of the default, for a few per cent more bytes. */
const WEBP_EFFORT = 2

/** Formats that libvips could read, but that sniff.ts never lets through. */
const BLOCKED_LOADERS = [
  ...['Svg', 'Pdf', 'Magick', 'Magick7', 'Tiff', 'Jxl', 'Jp2k', 'Openexr', 'Openslide', 'Fits'],
  ...['Mat', 'Analyze', 'Nifti', 'Ppm', 'Rad', 'Csv', 'Matrix', 'Raw', 'Vips'],
]

sharp.cache(false)
sharp.concurrency(1)
sharp.block({ operation: BLOCKED_LOADERS.map((name) => `VipsForeignLoad${name}`) })

/** @throws RefusedBlob */
export async function renderPicture({ from, to, preset, format }: PictureJob): Promise<void> {
  const blob = (await readFile(from)).subarray(HEAD_BYTES)
  const kind = pictureFormat(blob)
  if (!kind) throw notAnImage('its first bytes are those of no picture')
  const maxPixels = kind === 'avif' ? MAX_AVIF_PIXELS : MAX_PIXELS
  const body = await render(blob, { preset, format, maxPixels })
  const entry = makeEntry(`image/${format}`, body)
  await writeFile(to, [sealHead({ ...entry, length: body.length }), body])
}

async function render(
  blob: Buffer,
  { preset, format, maxPixels }: Pick<PictureJob, 'preset' | 'format'> & { maxPixels: number },
): Promise<Buffer> {
  try {
    const picture = sharp(blob, { limitInputPixels: maxPixels, failOn: 'truncated', pages: 1 })
    const { autoOrient } = await picture.metadata()
    if (Math.max(autoOrient.width, autoOrient.height) > MAX_SIDE)
      throw new RefusedBlob('ImageTooLarge', `a side of more than ${MAX_SIDE} pixels`)
    const size = targetSize(preset, autoOrient)
    const resized = picture
      .autoOrient()
      .resize({ ...size, fit: preset.fit === 'cover' ? 'cover' : 'fill' })
    return await encode(resized, format)
  } catch (error) {
    throw toRefusal(error, maxPixels)
  }
}

/** JPEG has no transparency; white is the usual background of transparent pictures. */
function encode(picture: Sharp, format: Format): Promise<Buffer> {
  if (format === 'webp') {
    return picture.webp({ quality: WEBP_QUALITY, effort: WEBP_EFFORT }).toBuffer()
  }
  return picture.flatten({ background: '#ffffff' }).jpeg({ quality: JPEG_QUALITY }).toBuffer()
}

function toRefusal(error: unknown, maxPixels: number): RefusedBlob {
  if (error instanceof RefusedBlob) return error
  const message = error instanceof Error ? error.message : String(error)
  if (/pixel limit/i.test(message)) {
    return new RefusedBlob('ImageTooLarge', `more than ${maxPixels} pixels`, { cause: error })
  }
  return notAnImage('it cannot be decoded', error)
}

function notAnImage(why: string, cause?: unknown): RefusedBlob {
  return new RefusedBlob('NotAnImage', `the blob is not a picture: ${why}`, { cause })
}
