// Pictures designed to be expensive: too many pixels, bombs of a few bytes, truncated, randomly changed. Each
// is refused or shown within the media process's memory, and the next one is served as usual.

import { existsSync, readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MEDIA_MEMORY_BYTES } from '../../../src/features/media/process/memory-limit.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'
import { type MediaWorld, startMediaWorld } from './support/media-world.ts'

const random = createRandom(testSeed('hostile pictures'))
/** 64 megapixels of one colour in a lossless WebP. */
const WEBP_BOMB = 'UklGRh4AAABXRUJQVlA4TBEAAAAvP9/PFwdQrVIUuYCBiOh/AAA='

let world: MediaWorld

beforeAll(async () => {
  world = await startMediaWorld()
})
afterAll(() => world.close())

function plain(width: number, height: number): Sharp {
  return sharp({ create: { width, height, channels: 3, background: { r: 9, g: 80, b: 200 } } })
}

async function ask(bytes: Buffer, preset = 'avatar'): Promise<string> {
  const response = await world.image(preset, world.host.put(bytes))
  if (response.status === 200) {
    await sharp(Buffer.from(await response.arrayBuffer())).stats()
    return '200'
  }
  return `${response.status} ${((await response.json()) as { error: string }).error}`
}

/** Peak memory of the running media process, in bytes. */
function peakMemory(): number {
  const status = readFileSync(`/proc/${world.process.pid()}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)![1]) * 1024
}

async function pngOf(width: number, height: number): Promise<Buffer> {
  const bytes = await plain(10, 10).png().toBuffer()
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29)
  return bytes
}

async function jpegOf(width: number, height: number): Promise<Buffer> {
  const bytes = await plain(16, 16).jpeg().toBuffer()
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0, 0, 17]))
  bytes.writeUInt16BE(height, frame + 5)
  bytes.writeUInt16BE(width, frame + 7)
  return bytes
}

async function gifOf(width: number, height: number): Promise<Buffer> {
  const bytes = await plain(10, 10).gif().toBuffer()
  const frame = bytes.indexOf(0x2c, 13)
  for (const at of [6, frame + 5]) {
    bytes.writeUInt16LE(width, at)
    bytes.writeUInt16LE(height, at + 2)
  }
  return bytes
}

async function avifOf(width: number, height: number): Promise<Buffer> {
  const bytes = await plain(64, 64).avif({ effort: 0 }).toBuffer()
  const size = bytes.indexOf('ispe') + 8
  bytes.writeUInt32BE(width, size)
  bytes.writeUInt32BE(height, size + 4)
  return bytes
}

describe('64 megapixels, or a side beyond a JPEG’s, are refused before decoding', () => {
  const large: [string, () => Promise<Buffer>][] = [
    ['a PNG', () => pngOf(8000, 8000)],
    ['a JPEG', () => jpegOf(8000, 8000)],
    ['a GIF', () => gifOf(8000, 8000)],
    ['a WebP of 38 bytes', async () => Buffer.from(WEBP_BOMB, 'base64')],
    ['a PNG, one pixel high', () => pngOf(64_000_000, 1)],
    ['a PNG of 33 megapixels, one pixel wide', () => pngOf(1, 33_000_000)],
    ['a PNG of 33 megapixels, one pixel high', () => pngOf(33_000_000, 1)],
    ['a real PNG', () => plain(8000, 8000).png().toBuffer()],
  ]
  test.each(large)('%s', async (_what, make) => {
    expect(await ask(await make())).toBe('400 ImageTooLarge')
    expect(world.process.counts().died).toBe(0)
  })

  test('and so is an AVIF, for either reason', async () => {
    expect(await ask(await avifOf(8000, 8000))).toMatch(/^400 (ImageTooLarge|NotAnImage)$/)
  })

  test.runIf(existsSync('/proc/self/status'))('it took no memory', () => {
    expect(peakMemory()).toBeLessThan(200_000_000)
  })
})

test('33 megapixels are shown within the memory limit', async () => {
  const side = 5744
  const bytes = await plain(side, side).png().toBuffer()
  expect(await ask(bytes, 'default')).toBe('200')
  if (existsSync('/proc/self/status')) expect(peakMemory()).toBeLessThan(MEDIA_MEMORY_BYTES)
})

test('of an animation with a thousand frames one is decoded', async () => {
  const frame = await plain(1000, 30).raw().toBuffer()
  const raw = { width: 1000, height: 30_000, channels: 3, pageHeight: 30 } as const
  const frames = Buffer.concat(Array<Buffer>(1000).fill(frame))
  const bytes = await sharp(frames, { raw }).gif({ effort: 1 }).toBuffer()
  expect(await ask(bytes, 'feed_fullsize')).toBe('200')
})

test('changed and cut at random, they are shown or refused, and the next is served', async () => {
  const complete = await Promise.all([
    noisy().jpeg({ progressive: true }).toBuffer(),
    noisy().png({ progressive: true }).toBuffer(),
    noisy().webp().toBuffer(),
    noisy().webp({ lossless: true }).toBuffer(),
    noisy().gif().toBuffer(),
    noisy().avif({ effort: 0 }).toBuffer(),
  ])
  const answers = new Map<string, number>()
  for (let i = 0; i < 180; i++) {
    const answer = await ask(damaged(complete[i % complete.length]!), 'feed_thumbnail')
    answers.set(answer, (answers.get(answer) ?? 0) + 1)
  }
  for (const answer of answers.keys()) expect(answer).toMatch(/^(200|400 \w+)$/)
  expect(answers.get('400 NotAnImage')).toBeGreaterThan(20)
  for (const bytes of complete) expect(await ask(bytes)).toBe('200')
})

function noisy(): Sharp {
  const pixels = Buffer.from(Array.from({ length: 90 * 60 * 3 }, () => random.below(256)))
  return sharp(pixels, { raw: { width: 90, height: 60, channels: 3 } })
}

/** A few bytes changed, most of them near the beginning, where sizes are. */
function damaged(picture: Buffer): Buffer {
  const bytes = Buffer.from(picture)
  if (random.chance(0.2)) return bytes.subarray(0, random.below(bytes.length))
  for (let i = 0; i < 1 + random.below(6); i++) {
    const span = random.chance(0.6) ? Math.min(200, bytes.length) : bytes.length
    bytes[random.below(span)] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)])
  }
  return bytes
}
