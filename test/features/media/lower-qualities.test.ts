// Lower qualities of videos served here: listed once they are made, with the sound and segments of the
// original, and pictures at the same times. No request waits for one, and if none can be made there is one
// quality.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeEntry, sealHead } from '../../../src/features/media/cache/cache-entry.ts'
import { createDiskCache } from '../../../src/features/media/cache/disk-cache.ts'
import { CUT_TYPE } from '../../../src/features/media/cut-file.ts'
import { createLowerQualities } from '../../../src/features/media/hls/lower-qualities.ts'
import { MediaError } from '../../../src/features/media/media-error.ts'
import type { Job } from '../../../src/features/media/process/jobs.ts'
import { createMediaProcess } from '../../../src/features/media/process/media-process.ts'
import { packetsOf } from '../../support/cached-view-packets.ts'
import { bytesOf, namedBy, variantAt } from '../../support/playlists.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'
import { type MediaWorld, NO_LIMIT_MS, startMediaWorld } from './support/media-world.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/video')
const video = (name: string) => readFileSync(join(fixtures, `${name}.mp4`))
const quiet = { debug: () => undefined, error: () => undefined, warn: () => undefined }

let first: MediaWorld
const closing: (() => unknown)[] = []

beforeAll(async () => {
  first = await startMediaWorld()
})
afterAll(async () => {
  for (const close of closing) await close()
  await first.close()
})

type Options = {
  shortSides?: number[]
  limits?: Parameters<typeof createMediaProcess>[0]['limits']
  dataDir?: string
}

async function worldWith({ shortSides = [36], limits, dataDir }: Options = {}) {
  const encoder = createMediaProcess({ log: quiet, limits: { jobMs: NO_LIMIT_MS, ...limits } })
  const videos = { kind: 'own', lower: { shortSides, encoder } } as const
  const world = await startMediaWorld({ before: first, videos, ...(dataDir && { dataDir }) })
  closing.push(
    () => encoder.close(),
    () => world.close(),
  )
  const master = (name: string) =>
    `${world.url}/video/${world.did}/${first.host.put(video(name))}/playlist.m3u8`
  return { ...world, encoder, master }
}

const linesOf = async (master: string) => {
  const text = (await bytesOf(master)).toString()
  return text.split('\n').filter((line) => line.startsWith('#EXT-X-STREAM-INF'))
}

/** Repeats the request, as a returning player does. */
const untilMade = (master: string, qualities: number) =>
  expect.poll(() => linesOf(master)).toHaveLength(qualities)

test('a lower quality is listed once made, with its properties', async () => {
  const { master: addressOf } = await worldWith()
  const master = addressOf('pictures-and-sound')
  expect(await linesOf(master)).toHaveLength(1)
  await untilMade(master, 2)
  const [uploaded, lower] = await linesOf(master)
  expect(uploaded).toContain('RESOLUTION=96x54')
  expect(lower).toMatch(
    /BANDWIDTH=\d+,.*CODECS="avc1\.64[0-9a-f]{4},mp4a\.40\.2",RESOLUTION=64x36$/,
  )
  const named = await namedBy(master)
  expect(named.map((part) => part.split('/').slice(-2).join('/'))).toEqual([
    '0/video.m3u8',
    '36/video.m3u8',
  ])
  expect((await fetch(named[1]!)).headers.get('cache-control')).toContain('immutable')
})

test('it has the segments and the sound of the original, and its pictures at their times', async () => {
  const { master: addressOf } = await worldWith()
  const master = addressOf('pictures-and-sound')
  await untilMade(master, 2)
  const [uploaded, lower] = await Promise.all([variantAt(master, 0), variantAt(master, 1)])
  expect(lower.playlist).toBe(uploaded.playlist)
  const [theirs, ours] = [uploaded, lower].map(({ init, segments }) => packetsOf(init, segments))
  const soundOf = (all: typeof ours) => all!.filter(([kind]) => kind === 'audio')
  expect(soundOf(ours)).toEqual(soundOf(theirs))
  expect(soundOf(ours).length).toBeGreaterThan(100)
  const times = (all: typeof ours) =>
    all!.flatMap(([kind, seconds]) => (kind === 'video' ? seconds : [])).sort((a, b) => a - b)
  expect(times(ours)).toHaveLength(95)
  times(ours).forEach((seconds, i) => {
    expect(Math.abs(seconds - times(theirs)[i]!)).toBeLessThan(0.001)
  })
})

test('it is stored, and made without the PDS', async () => {
  const { host, dataDir, master } = await worldWith()
  const address = master('silent')
  await linesOf(address)
  host.behave({ fail: 500 })
  await untilMade(address, 2)
  host.behave(undefined)
  const again = await worldWith({ dataDir })
  expect(await linesOf(again.master('silent'))).toHaveLength(2)
  expect(again.encoder.pid()).toBeUndefined()
})

test('several are made from a large enough original', async () => {
  const { master, encoder } = await worldWith({ shortSides: [20, 50, 36] })
  const address = master('pictures-and-sound')
  await untilMade(address, 3)
  const sizes = (await linesOf(address)).map((line) => /RESOLUTION=(\S+)$/.exec(line)![1])
  expect(sizes).toEqual(['96x54', '64x36', '36x20'])
  expect(encoder.counts()).toEqual({ refused: 0, died: 0, pending: 0 })
  const { status } = await fetch(address.replace('playlist.m3u8', '50/video.m3u8'))
  expect(status).toBe(404)
})

test('encoding that exceeds its limit is given up, and the video plays in one quality', async () => {
  const { master, encoder, warnings } = await worldWith({ limits: { cpuMs: 1 } })
  const address = master('pictures-and-sound')
  expect(await linesOf(address)).toHaveLength(1)
  await expect.poll(() => encoder.counts().died).toBe(1)
  expect(await linesOf(address)).toHaveLength(1)
  expect(encoder.counts()).toMatchObject({ died: 1, pending: 0 })
  expect((await variantAt(address, 0)).segments.length).toBeGreaterThan(1)
  expect(warnings).toEqual([])
})

test('damaged pictures are scaled down or skipped, never worse', async () => {
  const random = createRandom(testSeed('damaged pictures'))
  const { url, did, encoder } = await worldWith()
  const addresses = Array.from({ length: 12 }, () => {
    const bytes = video('pictures-and-sound')
    const data = bytes.indexOf('mdat') + 4
    for (let i = 0; i < 1 + random.below(60); i++) {
      bytes[data + random.below(bytes.readUInt32BE(data - 8) - 8)] = random.below(256)
    }
    return `${url}/video/${did}/${first.host.put(bytes)}/playlist.m3u8`
  })
  for (const address of addresses) expect(await linesOf(address)).toHaveLength(1)
  const settled = async () => {
    const made = await Promise.all(
      addresses.map(async (address) => (await linesOf(address)).length - 1),
    )
    const { refused, died } = encoder.counts()
    return made.reduce((sum, value) => sum + value, 0) + refused + died
  }
  await expect.poll(settled).toBeGreaterThanOrEqual(addresses.length)
  for (const address of addresses) {
    expect((await variantAt(address, 0)).segments.length).toBeGreaterThan(1)
  }
})

describe('the queue', () => {
  const cid = (i: number) => `bafkreia${i}`
  const cut = makeEntry(CUT_TYPE, Buffer.alloc(8))
  const file = Buffer.concat([sealHead({ ...cut, length: cut.body.length }), cut.body])

  /** A queue whose encoder's jobs end when and how the test says. */
  async function queueWith(encoder: { run(job: Job): Promise<void> } | undefined) {
    const cache = createDiskCache({
      folder: join(first.dataDir, 'queue'),
      maxBytes: 1e9,
      log: quiet,
    })
    const warnings: unknown[] = []
    const log = { warn: (...line: unknown[]) => void warnings.push(line) }
    const parts = { cache, log, dataDir: first.dataDir, now: Date.now, shortSides: [360] }
    for (let i = 0; i < 150; i++) {
      const position = await cache.reserve()
      writeFileSync(position, file)
      await cache.add(`cut 1 did:plc:a ${cid(i)}`, position)
    }
    const request = (i: number) => lower.request({ did: 'did:plc:a', cid: cid(i) }, 360)
    const lower = createLowerQualities({ ...parts, encoder })
    return { request, warnings, parts }
  }

  test('makes one at a time, each once, with at most a hundred waiting', async () => {
    const jobs: { job: Job; end: (error?: Error) => void }[] = []
    const run = (job: Job) =>
      new Promise<void>((resolve, reject) => {
        jobs.push({ job, end: (error) => (error ? reject(error) : resolve()) })
      })
    const { request } = await queueWith({ run })
    for (let round = 0; round < 2; round++) for (let i = 0; i < 150; i++) request(i)
    for (let done = 0; done < 101; done++) {
      await expect.poll(() => jobs.length).toBe(done + 1)
      jobs[done]!.end(new MediaError('refused', 'NotEncodable', 'no'))
    }
    request(0)
    await new Promise((resolve) => setImmediate(resolve))
    expect(jobs).toHaveLength(101)
    expect(new Set(jobs.map(({ job }) => job.from)).size).toBe(101)
  })

  test('is shared by all threads', async () => {
    const jobs: Job[] = []
    const run = async (job: Job) => void jobs.push(job)
    const { parts } = await queueWith({ run })
    const other = createLowerQualities({ ...parts, encoder: undefined })
    other.request({ did: 'did:plc:a', cid: cid(7) }, 360)
    await expect.poll(() => jobs.length).toBe(1)
    expect(jobs[0]).toMatchObject({ kind: 'lower', shortSide: 360 })
  })

  test('ends without an encoder, which is reported once', async () => {
    let requested = 0
    const run = async () => {
      requested += 1
      throw new MediaError('refused', 'NoDecoder', 'none')
    }
    const { request, warnings } = await queueWith({ run })
    for (let i = 0; i < 20; i++) request(i)
    await expect.poll(() => warnings.length).toBe(1)
    expect(JSON.stringify(warnings)).toContain('npm install')
    expect(requested).toBe(1)
  })
})
