// Videos as uploaded, whole and in ranges, over real HTTP on both sides.

import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { blobCid } from '../../support/blob-host.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'
import { type MediaWorld, startMediaWorld } from './support/media-world.ts'

const random = createRandom(testSeed('videos'))
const HEAD = Buffer.from('\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41', 'latin1')

let world: MediaWorld
let video: Buffer
let cid: string

beforeAll(async () => {
  world = await startMediaWorld()
  video = Buffer.concat([
    HEAD,
    Buffer.from(Array.from({ length: 700_000 }, () => random.below(256))),
  ])
  cid = world.host.put(video, 'text/html')
})
afterAll(() => world.close())
beforeEach(() => world.setHidden(false))

function ask(headers: Record<string, string> = {}, init: RequestInit & { cid?: string } = {}) {
  return fetch(`${world.url}/video/${world.did}/${init.cid ?? cid}`, { ...init, headers })
}

test('a video is served whole, with its type, and fetched once', async () => {
  const before = world.host.requests()
  const responses = await Promise.all(Array.from({ length: 10 }, () => ask()))
  for (const response of responses) {
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(video.length),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
    })
    expect(Buffer.from(await response.arrayBuffer()).equals(video)).toBe(true)
  }
  expect(world.host.requests()).toBe(before + 1)
})

test('many simultaneous readers each get their own bytes, though some disconnect', async () => {
  const long = Buffer.concat([HEAD, randomBytes(9_000_000)])
  const address = `${world.url}/video/${world.did}/${world.host.put(long)}`
  for (let round = 0; round < 3; round++) {
    const reads = Array.from({ length: 12 }, async (_, i) => {
      const abort = new AbortController()
      const first = i * 1000
      const range = { range: `bytes=${first}-` }
      const response = await fetch(address, { headers: range, signal: abort.signal })
      if (i % 4 === 0) {
        await response.body!.getReader().read()
        return abort.abort()
      }
      const body = Buffer.from(await response.arrayBuffer())
      expect(body.equals(long.subarray(first))).toBe(true)
    })
    await Promise.all(reads)
  }
})

test('any range of it is that range', async () => {
  for (let i = 0; i < 40; i++) {
    const first = random.below(video.length)
    const last = first + random.below(video.length - first + 100)
    const response = await ask({ range: `bytes=${first}-${random.chance(0.2) ? '' : last}` })
    const [, from, to, all] = /^bytes (\d+)-(\d+)\/(\d+)$/
      .exec(response.headers.get('content-range')!)!
      .map(Number)
    expect(response.status).toBe(206)
    expect([from, all]).toEqual([first, video.length])
    expect(to).toBeLessThan(video.length)
    const part = Buffer.from(await response.arrayBuffer())
    expect(part.equals(video.subarray(first, to! + 1))).toBe(true)
    expect(response.headers.get('content-length')).toBe(String(part.length))
  }
})

test('the last bytes can be requested, and none beyond them', async () => {
  const end = await ask({ range: 'bytes=-1000' })
  expect(Buffer.from(await end.arrayBuffer()).equals(video.subarray(-1000))).toBe(true)
  const beyond = await ask({ range: `bytes=${video.length}-` })
  expect(beyond.status).toBe(416)
  expect(beyond.headers.get('content-range')).toBe(`bytes */${video.length}`)
})

test('invalid ranges, or those of another version, get everything', async () => {
  for (const range of ['bytes=9-3', 'bytes=a-b', 'lines=1-2', 'bytes=0-1,4-5', 'bytes=-']) {
    const response = await ask({ range })
    expect([range, response.status]).toEqual([range, 200])
    await response.body?.cancel()
  }
  const other = await ask({ range: 'bytes=0-9', 'if-range': '"another"' })
  expect(other.status).toBe(200)
  await other.body?.cancel()
  const same = await ask({ range: 'bytes=0-9', 'if-range': other.headers.get('etag')! })
  expect((await same.arrayBuffer()).byteLength).toBe(10)
})

test('a version the client already has is not sent again, and HEAD sends no body', async () => {
  const head = await ask({}, { method: 'HEAD' })
  expect(head.headers.get('content-length')).toBe(String(video.length))
  expect((await ask({ 'if-none-match': head.headers.get('etag')! })).status).toBe(304)
})

test.runIf(existsSync('/proc/self/fd'))(
  'a player that disconnects midway leaves nothing open',
  async () => {
    for (let i = 0; i < 20; i++) {
      const abort = new AbortController()
      const response = await ask({}, { signal: abort.signal })
      await response.body!.getReader().read()
      abort.abort()
    }
    await expect.poll(openVideos).toEqual([])
    expect((await ask({ range: 'bytes=0-0' })).status).toBe(206)
  },
)

/** Cache files that this process has open. */
function openVideos(): string[] {
  const paths = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)]
    } catch {
      return [] // closed meanwhile
    }
  })
  return paths.filter((path) => path.startsWith(world.dataDir))
}

test('files that are not videos, not the account’s, or hidden are refused', async () => {
  const html = world.host.put(Buffer.from('<html>'), 'video/mp4')
  expect((await ask({}, { cid: html })).status).toBe(400)
  expect((await ask({}, { cid: blobCid(Buffer.from('nowhere')) })).status).toBe(404)
  expect((await ask({}, { cid: 'x' })).status).toBe(400)
  world.setHidden(true)
  expect((await ask()).status).toBe(404)
})
