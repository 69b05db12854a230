// Pictures and videos that cost far more to open than to make.

import { createHash, randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { honestTrack, mp4Of, numbers, table } from '../mp4-builder.ts'

/** Beyond the decoding limit: 64 megapixels in some hundred kilobytes. */
const SIDE = 8_000
const RUNS = 20_000
const SAMPLES = 5_000
const BACKGROUND = { r: 120, g: 9, b: 200 }

let picture: Promise<Buffer> | undefined

export function hugePicture(): Promise<Buffer> {
  const create = { width: SIDE, height: SIDE, channels: 3 as const, background: BACKGROUND }
  picture ??= sharp({ create }).png({ compressionLevel: 9 }).toBuffer()
  return picture
}

/** A harmless one. */
export function plainPicture(): Promise<Buffer> {
  const create = { width: 8, height: 8, channels: 3 as const, background: BACKGROUND }
  return sharp({ create }).jpeg().toBuffer()
}

export function hostileVideos(): Buffer[] {
  const data = randomBytes(100_000)
  const rewinding = honestTrack(100, 100, {
    stsc: table(RUNS, (i) => [i % 2 ? 200_001 : 1, 0, 1]),
  })
  const overlapping = honestTrack(SAMPLES, 100_000, {
    stsz: numbers(data.length, SAMPLES),
    stco: table(SAMPLES, () => [44]),
  })
  return [rewinding, overlapping].map((track) => mp4Of({ data, tracks: [track] }))
}

/** An incompressible text, the same for the same name. */
export function noise(name: string, length: number): string {
  const outputLength = Math.ceil((length * 3) / 4)
  return createHash('shake256', { outputLength }).update(name).digest('base64').slice(0, length)
}
