// Previews of videos from their own PDSs: a frame decoded here, made once and kept even if the PDS goes away;
// or a plain surface if there is none, after a single attempt.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPreviews } from '../../../src/features/media/hls/previews.ts'
import { MediaError } from '../../../src/features/media/media-error.ts'
import { NO_THUMBNAIL } from '../../../src/features/media/no-thumbnail.ts'
import { firstVariant } from '../../support/playlists.ts'
import { type MediaWorld, startMediaWorld } from './support/media-world.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/video')
const video = (name = 'pictures-and-sound') => readFileSync(join(fixtures, `${name}.mp4`))

let world: MediaWorld

beforeAll(async () => {
  world = await startMediaWorld()
})
afterAll(() => world.close())

const folderOf = (cid: string) => `${world.url}/video/${world.did}/${cid}`

async function preview(cid: string) {
  const response = await fetch(`${folderOf(cid)}/thumbnail.jpg`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
  const body = Buffer.from(await response.arrayBuffer())
  const { width, height } = await sharp(body).metadata()
  const isPlain = body.equals(NO_THUMBNAIL.body)
  return { width, height, isPlain, body, lasts: response.headers.get('cache-control') }
}

describe('a video', () => {
  test('shows one of its frames, made once', async () => {
    const cid = world.host.put(video())
    const before = world.host.requests()
    const made = await Promise.all([preview(cid), preview(cid), preview(cid)])
    for (const { body, ...item } of made) {
      expect(item).toEqual({
        width: 96,
        height: 54,
        isPlain: false,
        lasts: 'public, max-age=86400',
      })
    }
    // The test picture's bars: neither a single colour nor noise.
    const { channels } = await sharp(made[0]!.body).stats()
    expect(Math.max(...channels.map(({ stdev }) => stdev))).toBeGreaterThan(40)
    expect(world.host.requests()).toBe(before + 1)
  })

  test('is cut from the same fetch, and both outlive the PDS', async () => {
    const cid = world.host.put(Buffer.concat([video(), Buffer.alloc(8)]))
    await preview(cid)
    world.host.behave({ fail: 500 })
    expect((await firstVariant(`${folderOf(cid)}/playlist.m3u8`)).segments.length).toBeGreaterThan(
      1,
    )
    expect((await preview(cid)).isPlain).toBe(false)
    world.host.behave(undefined)
  })

  test('that was played before gets one as well', async () => {
    const cid = world.host.put(video('silent'))
    await firstVariant(`${folderOf(cid)}/playlist.m3u8`)
    expect(await preview(cid)).toMatchObject({ width: 64, height: 64, isPlain: false })
  })

  test.each([
    ['a quarter', [0, 1, -1, 0], { width: 54, height: 96 }],
    ['a half', [-1, 0, 0, -1], { width: 96, height: 54 }],
    ['three quarters', [0, -1, 1, 0], { width: 54, height: 96 }],
  ])('that must be rotated by %s is', async (_, [a, b, c, d], size) => {
    const bytes = video()
    const matrix = bytes.indexOf('tkhd') + 4 + 40
    for (const [i, value] of [a, b, 0, c, d].entries())
      bytes.writeInt32BE(value! << 16, matrix + i * 4)
    expect(await preview(world.host.put(bytes))).toMatchObject({ ...size, isPlain: false })
  })

  test('that begins in the dark shows a later frame', async () => {
    const { body } = await preview(world.host.put(video('dark-start')))
    const { channels } = await sharp(body).stats()
    expect(Math.max(...channels.map(({ stdev }) => stdev))).toBeGreaterThan(20)
  })
})

describe('a plain surface', () => {
  test('replaces all if the operator disabled previews; nothing is fetched', async () => {
    const of = await startMediaWorld({ before: world, videos: { kind: 'own', hasPreviews: false } })
    const before = world.host.requests()
    const path = new URL(folderOf(world.host.put(video('trailer')))).pathname
    const response = await fetch(`${of.url}${path}/thumbnail.jpg`)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(NO_THUMBNAIL.body)
    expect(world.host.requests()).toBe(before)
    await of.close()
  })

  test('replaces pictures that cannot be decoded; they are refused once', async () => {
    const bytes = video()
    const mdat = bytes.indexOf('mdat') + 4
    bytes.fill(0x55, mdat, mdat + 6000)
    const cid = world.host.put(bytes)
    const [before, requests] = [world.process.counts(), world.host.requests()]
    for (let i = 0; i < 3; i++) {
      expect(await preview(cid)).toMatchObject({ isPlain: true, lasts: 'public, max-age=60' })
    }
    expect(world.process.counts()).toEqual({ ...before, refused: before.refused + 1 })
    expect(world.host.requests()).toBe(requests + 1)
    expect((await firstVariant(`${folderOf(cid)}/playlist.m3u8`)).segments.length).toBeGreaterThan(
      1,
    )
  })

  test('replaces files that are not videos, and missing ones', async () => {
    expect((await preview(world.host.put(Buffer.from('no video')))).isPlain).toBe(true)
    expect((await preview(`bafkrei${'a'.repeat(52)}`)).isPlain).toBe(true)
  })

  test('replaces all if no decoder is installed, without further work', async () => {
    const requested: string[] = []
    const previews = createPreviews({
      isFollowed: () => true,
      videos: { withFile: async (_, work) => work({ path: '/nowhere', host: '' }) },
      async hls(_, before) {
        await before?.({ path: '/nowhere', host: '' })
        return { entry: { file: { close: async () => undefined } } } as never
      },
      cache: {
        read: async () => undefined,
        reserve: async () => '/nowhere/either',
      } as never,
      process: {
        async run({ kind }) {
          requested.push(kind)
          throw new MediaError('refused', 'NoDecoder', 'no decoder')
        },
      },
      log: { warn: (...line: unknown[]) => void requested.push(JSON.stringify(line)) },
      now: () => 0,
    })
    for (const cid of ['a', 'b', 'c']) {
      expect(await previews({ did: 'did:web:a.test', cid })).toBe(NO_THUMBNAIL)
    }
    expect(requested).toEqual(['preview', expect.stringContaining('no decoder is installed')])
  })
})
