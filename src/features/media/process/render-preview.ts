// Renders a frame of a video as its preview: FFmpeg decodes a key picture, through a package that provides
// WebCodecs in Node; the picture is then rotated by the video's head, shrunk and encoded. The media process
// does it, which bounds memory, time and crashes. Samples' offsets are checked as for cutting.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { VideoFrame } from '@napi-rs/webcodecs'
import sharp from 'sharp'
import { HEAD_BYTES, makeEntry, sealHead } from '../cache/cache-entry.ts'
import { Mp4Error } from '../mp4/boxes.ts'
import { checkOffsets } from '../mp4/check-offsets.ts'
import { type Mp4File, readLayout } from '../mp4/read-file.ts'
import { type Movie, readMovie, type Track } from '../mp4/read-movie.ts'
import { avcConfig, pictureEntry } from '../mp4/sample-entry.ts'
import { presets, targetSize } from '../presets.ts'
import { type PreviewJob, RefusedBlob } from './jobs.ts'
import { loadCodecs } from './load-codecs.ts'

type Picture = { pixels: Buffer; width: number; height: number }

const MAX_SAMPLE_BYTES = 16 << 20
const MAX_PIXELS = 16_000_000
const PIXEL_BYTES = 4
const QUALITY = 85
/**
 * Standard deviation, of 255, below which a picture shows nothing, such as the black that many
 * videos begin with.
 */
const FLAT = 8
/** Where to look, as fractions of the video; the later ones only if earlier pictures are flat. */
const POSITIONS = [0, 0.1, 0.4]

/** @throws RefusedBlob */
export async function renderPreview({ from, to }: PreviewJob): Promise<void> {
  const fd = openSync(from, 'r')
  try {
    const body = await previewOf({ fd, begin: HEAD_BYTES, length: fstatSync(fd).size - HEAD_BYTES })
    const entry = makeEntry('image/jpeg', body)
    await writeFile(to, [sealHead({ ...entry, length: body.length }), body])
  } catch (error) {
    if (!(error instanceof Mp4Error || error instanceof RangeError)) throw error
    throw new RefusedBlob('NoPreview', `the video has no preview: ${error.message}`)
  } finally {
    closeSync(fd)
  }
}

async function previewOf(mp4: Mp4File): Promise<Buffer> {
  const { moov, mdats } = readLayout(mp4)
  const movie = readMovie(moov)
  checkOffsets(movie, { mdats, fileBytes: mp4.length })
  const track = pictureTrack(movie)
  const decode = await openDecoder(track)
  let best: Picture | undefined
  for (const sample of keySamples(track)) {
    const picture = await decode(readSample(mp4, track, sample))
    best ??= picture
    if (!(await isFlat(picture))) {
      best = picture
      break
    }
  }
  return encode(best!, rotationOf(track))
}

function pictureTrack({ tracks }: Movie): Track {
  const track = tracks.find(({ kind }) => kind === 'video')
  if (!track) throw new Mp4Error('it has no video track')
  return track
}

/** For each place, the last sample up to it at which decoding can begin. */
function keySamples({ samples: { count, isSync } }: Track): number[] {
  const found = POSITIONS.map((position) => {
    let sample = Math.floor(position * (count - 1))
    while (sample > 0 && isSync[sample] === 0) sample -= 1
    return sample
  })
  return [...new Set(found)]
}

function readSample({ fd, begin }: Mp4File, { samples }: Track, sample: number): Buffer {
  const length = samples.sizes[sample]!
  if (length > MAX_SAMPLE_BYTES) throw new Mp4Error('a frame is too large')
  const bytes = Buffer.alloc(length)
  readSync(fd, bytes, 0, length, begin + samples.offsets[sample]!)
  return bytes
}

/** @returns a function that decodes a key picture. */
async function openDecoder({
  boxes: { stsd },
}: Track): Promise<(data: Buffer) => Promise<Picture>> {
  const description = avcConfig(stsd, pictureEntry(stsd).box)
  const codec = `avc1.${description.toString('hex', 1, 4)}`
  const { EncodedVideoChunk, VideoDecoder } = await loadCodecs()
  return async (data) => {
    const frames: VideoFrame[] = []
    const error = () => undefined // flush() reports it too
    const decoder = new VideoDecoder({ output: (frame) => void frames.push(frame), error })
    try {
      decoder.configure({ codec, description, hardwareAcceleration: 'prefer-software' })
      decoder.decode(new EncodedVideoChunk({ type: 'key', timestamp: 0, data }))
      await decoder.flush()
      return await pixelsOf(frames[0])
    } catch (cause) {
      if (cause instanceof RefusedBlob) throw cause
      throw new RefusedBlob('NotDecodable', 'its frames cannot be decoded', { cause })
    } finally {
      for (const frame of frames) frame.close()
    }
  }
}

async function pixelsOf(frame: VideoFrame | undefined): Promise<Picture> {
  if (!frame) throw new RefusedBlob('NotDecodable', 'its first frame needs others')
  const { codedWidth: width, codedHeight: height } = frame
  if (width * height > MAX_PIXELS) {
    throw new RefusedBlob('ImageTooLarge', `more than ${MAX_PIXELS} pixels`)
  }
  const bytes = new Uint8Array(frame.allocationSize({ format: 'RGBA' }))
  const [plane] = await frame.copyTo(bytes, { format: 'RGBA' })
  const stride = plane!.stride
  const rows = Array.from({ length: height }, (_, row) => {
    return bytes.subarray(row * stride, row * stride + width * PIXEL_BYTES)
  })
  return {
    pixels: stride === width * PIXEL_BYTES ? Buffer.from(bytes) : Buffer.concat(rows),
    width,
    height,
  }
}

function rawOf({ pixels, width, height }: Picture) {
  return sharp(pixels, {
    raw: { width, height, channels: PIXEL_BYTES },
    limitInputPixels: MAX_PIXELS,
  })
}

async function isFlat(picture: Picture): Promise<boolean> {
  const { channels } = await rawOf(picture).removeAlpha().stats()
  return channels.every(({ stdev }) => stdev < FLAT)
}

async function encode(picture: Picture, degrees: number): Promise<Buffer> {
  const turned = degrees % 180 === 0 ? picture : { width: picture.height, height: picture.width }
  const size = targetSize(presets['feed_thumbnail']!, turned)
  const upright = rawOf(picture).removeAlpha().rotate(degrees)
  return upright
    .resize({ ...size, fit: 'fill' })
    .jpeg({ quality: QUALITY })
    .toBuffer()
}

/** Clockwise degrees, one of the four that cameras write (ISO/IEC 14496-12 §8.3.2). */
function rotationOf({ boxes: { tkhd } }: Track): number {
  const at = 8 + (tkhd.readUInt8(8) === 1 ? 52 : 40)
  const [across, down] = [tkhd.readInt32BE(at), tkhd.readInt32BE(at + 4)]
  if (across === 0) return down > 0 ? 90 : 270
  return across < 0 && down === 0 ? 180 : 0
}
