// Pictures from a PDS through the image route, over real HTTP on both sides, with realistic uploads and
// forbidden ones.

import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BlobHost, blobCid } from '../../support/blob-host.ts'
import { until } from '../../support/eventually.ts'
import { type MediaWorld, startMediaWorld } from './support/media-world.ts'

let host: BlobHost
let world: MediaWorld
let shade = 0

beforeAll(async () => {
  world = await startMediaWorld()
  host = world.host
})
afterAll(() => world.close())
beforeEach(() => {
  host.behave(undefined)
  host.waitFor(Promise.resolve())
  world.setHidden(false)
  expect(world.warnings).toEqual([])
})

/** A new picture on each call, so that the cache has none. */
function picture(width: number, height: number): Sharp {
  shade += 1
  const background = { r: shade % 256, g: 90, b: 200 - (shade % 200), alpha: 1 }
  return sharp({ create: { width, height, channels: 4, background } })
}

async function sizeOf(response: Response) {
  const { width, height, format } = await sharp(
    Buffer.from(await response.arrayBuffer()),
  ).metadata()
  return { width, height, format }
}

async function errorOf(response: Response) {
  return { status: response.status, ...((await response.json()) as { error: string }) }
}

describe('each preset has its size', () => {
  const cases: [string, { width: number; height: number; format: string }][] = [
    ['avatar', { width: 1000, height: 1000, format: 'webp' }],
    ['avatar_thumbnail', { width: 128, height: 128, format: 'webp' }],
    ['banner', { width: 2400, height: 800, format: 'webp' }],
    ['feed_thumbnail', { width: 1000, height: 667, format: 'webp' }],
    ['feed_fullsize', { width: 2000, height: 1333, format: 'webp' }],
    ['default', { width: 2400, height: 1600, format: 'webp' }],
    ['download', { width: 2400, height: 1600, format: 'jpeg' }],
  ]
  let cid: string
  beforeAll(async () => {
    cid = host.put(await picture(2400, 1600).jpeg().toBuffer(), 'image/jpeg')
  })

  test.each(cases)('%s', async (preset, expected) => {
    const response = await world.image(preset, cid)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(`image/${expected.format}`)
    expect(await sizeOf(response)).toEqual(expected)
  })

  test('a format in the address wins', async () => {
    expect(await sizeOf(await world.image('avatar_thumbnail', `${cid}@jpeg`))).toMatchObject({
      format: 'jpeg',
    })
    expect(await sizeOf(await world.image('download', `${cid}@webp`))).toMatchObject({
      format: 'webp',
    })
  })

  test('only a download is saved rather than shown', async () => {
    expect((await world.image('download', cid)).headers.get('content-disposition')).toMatch(
      /^attachment; filename="bafkrei\w+\.jpeg"$/,
    )
    expect((await world.image('avatar', cid)).headers.get('content-disposition')).toBeNull()
  })
})

describe('typical uploads', () => {
  const made: [string, () => Promise<Buffer>][] = [
    ['a jpeg', () => picture(40, 30).jpeg().toBuffer()],
    ['a png with transparency', () => picture(40, 30).png().toBuffer()],
    ['a webp', () => picture(40, 30).webp().toBuffer()],
    ['a gif', () => picture(40, 30).gif().toBuffer()],
    ['an avif', () => picture(40, 30).avif().toBuffer()],
    ['an animated gif', animated],
  ]
  test.each(made)('%s becomes a picture of the same size', async (_what, make) => {
    const bytes = await make()
    for (const format of ['webp', 'jpeg']) {
      const response = await world.image('feed_fullsize', `${host.put(bytes)}@${format}`)
      expect(await sizeOf(response)).toEqual({ width: 40, height: 30, format })
    }
  })

  async function animated(): Promise<Buffer> {
    const frames = await Promise.all([1, 2, 3].map(() => picture(40, 30).png().toBuffer()))
    return sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer()
  }

  test('a small avatar is cropped square and not enlarged', async () => {
    const cid = host.put(await picture(300, 200).png().toBuffer())
    expect(await sizeOf(await world.image('avatar', cid))).toMatchObject({
      width: 200,
      height: 200,
    })
  })

  test('a rotated photo is shown upright, without its location', async () => {
    const bytes = await picture(60, 20)
      .withExif({ IFD0: { Make: 'Secret Camera' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    const response = await world.image('feed_fullsize', `${host.put(bytes)}@jpeg`)
    const served = Buffer.from(await response.arrayBuffer())
    expect(await sharp(served).metadata()).toMatchObject({ width: 20, height: 60 })
    expect((await sharp(served).metadata()).exif).toBeUndefined()
  })

  test('the PDS’s content type is not trusted', async () => {
    const cid = host.put(await picture(40, 30).png().toBuffer(), 'text/html')
    expect((await world.image('avatar', cid)).headers.get('content-type')).toBe('image/webp')
  })
})

describe('content that must not be served', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script/></svg>'
  const bad: [string, () => Promise<Buffer>, string][] = [
    [
      'HTML declared as a picture',
      async () => Buffer.from('<html><script>1</script>'),
      'NotAnImage',
    ],
    ['an SVG', async () => Buffer.from(svg), 'NotAnImage'],
    ['a TIFF', () => picture(9, 9).tiff().toBuffer(), 'NotAnImage'],
    ['an empty blob', async () => Buffer.alloc(0), 'NotAnImage'],
    ['a truncated picture', async () => halfOf(await noise()), 'NotAnImage'],
    ['HTML after the first bytes of a PNG', async () => disguised(), 'NotAnImage'],
    ['a bomb: 100 million pixels in a hundred bytes', () => bomb(), 'ImageTooLarge'],
    ['a blob of six megabytes', async () => Buffer.alloc(6_000_000, 1), 'BlobTooLarge'],
  ]

  test.each(bad)('%s', async (_what, make, error) => {
    const response = await world.image('avatar', host.put(await make(), 'image/png'))
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await errorOf(response)).toMatchObject({ status: 400, error })
  })

  function noise(): Promise<Buffer> {
    const raw = Buffer.from(Array.from({ length: 100 * 100 * 3 }, (_, i) => (i * i * 31) % 251))
    return sharp(raw, { raw: { width: 100, height: 100, channels: 3 } })
      .png()
      .toBuffer()
  }

  function halfOf(bytes: Buffer): Buffer {
    return bytes.subarray(0, bytes.length / 2)
  }

  function disguised(): Buffer {
    return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from('<script>')])
  }

  /** A picture whose header claims 100 million pixels. */
  async function bomb(): Promise<Buffer> {
    const bytes = await picture(10, 10).png().toBuffer()
    bytes.writeUInt32BE(10_000, 16)
    bytes.writeUInt32BE(10_000, 20)
    bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29)
    return bytes
  }

  test('bytes that do not match the CID', async () => {
    const cid = blobCid(Buffer.from('what was meant'))
    host.putAs(cid, await picture(20, 20).png().toBuffer())
    expect(await errorOf(await world.image('avatar', cid))).toMatchObject({
      status: 404,
      error: 'BlobNotFound',
    })
  })
})

describe('wrong addresses are explained', () => {
  const cid = blobCid(Buffer.from('x'))
  const wrong: [string, string, string][] = [
    ['an unknown preset', `/img/huge/plain/DID/${cid}`, 'InvalidPreset'],
    [
      'a preset named like a property of every object',
      `/img/constructor/plain/DID/${cid}`,
      'InvalidPreset',
    ],
    ['an unknown format', `/img/avatar/plain/DID/${cid}@svg`, 'InvalidFormat'],
    ['a handle instead of a DID', `/img/avatar/plain/alice.test/${cid}`, 'InvalidDid'],
    ['a broken escape', `/img/avatar/plain/did%3Aplc%3/${cid}`, 'InvalidDid'],
    ['a path instead of a CID', '/img/avatar/plain/DID/..%2f..%2fetc', 'InvalidCid'],
    ['a record’s CID', `/img/avatar/plain/DID/bafyrei${'a'.repeat(52)}`, 'InvalidCid'],
    ['an incomplete address', '/img/avatar', 'InvalidPath'],
  ]
  test.each(wrong)('%s', async (_what, path, error) => {
    const response = await fetch(world.url + path.replace('DID', world.did))
    expect(await errorOf(response)).toMatchObject({ status: 400, error })
  })
})

describe('accounts whose pictures are served', () => {
  test('an escaped DID is the same DID', async () => {
    const cid = host.put(await picture(10, 10).png().toBuffer())
    const response = await world.image('avatar', cid, { did: encodeURIComponent(world.did) })
    expect(response.status).toBe(200)
  })

  test('not those that nothing here refers to', async () => {
    const before = host.requests()
    const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
    const response = await world.image('avatar', blobCid(Buffer.from('x')), { did })
    expect(await errorOf(response)).toMatchObject({ status: 404, error: 'AccountNotFound' })
    expect(host.requests()).toBe(before)
  })

  test('not those taken down, even if a copy is cached', async () => {
    const cid = host.put(await picture(10, 10).png().toBuffer())
    expect((await world.image('avatar', cid)).status).toBe(200)
    world.setHidden(true)
    expect(await errorOf(await world.image('avatar', cid))).toMatchObject({ status: 404 })
    world.setHidden(false)
    expect((await world.image('avatar', cid)).status).toBe(200)
  })
})

describe('a faulty PDS', () => {
  const cases: [string, Parameters<BlobHost['behave']>[0], number][] = [
    ['refuses', { fail: 400 }, 404],
    ['has taken the account down', { fail: 404 }, 404],
    ['fails', { fail: 500 }, 502],
    ['limits our rate', { fail: 429 }, 502],
  ]
  test.each(cases)('%s', async (_what, how, status) => {
    const cid = host.put(await picture(10, 10).png().toBuffer())
    host.behave(how)
    expect((await world.image('avatar', cid)).status).toBe(status)
  })

  test('goes silent midway', async () => {
    const impatient = await startMediaWorld({ before: world, maxWait: { timeoutMs: 300 } })
    const cid = host.put(await picture(10, 10).png().toBuffer())
    host.behave('stall')
    expect(await errorOf(await impatient.image('avatar', cid))).toMatchObject({
      status: 504,
      error: 'UpstreamTimeout',
    })
    await impatient.close()
  })

  test('is unreachable', async () => {
    const { did } = await world.plc.create({ handle: 'b.test', pds: 'http://127.0.0.1:9' })
    const lost = await startMediaWorld({ before: { ...world, did } })
    const response = await lost.image('avatar', blobCid(Buffer.from('x')))
    expect(await errorOf(response)).toMatchObject({ status: 502, error: 'UpstreamError' })
    await lost.close()
  })

  test('is left alone for a while, and asked again later', async () => {
    const cid = host.put(await picture(10, 10).png().toBuffer())
    host.behave({ fail: 500 })
    await world.image('avatar', cid)
    host.behave(undefined)
    const before = host.requests()
    expect((await world.image('avatar', cid)).status).toBe(502)
    expect(host.requests()).toBe(before)
    world.advance(61_000)
    expect((await world.image('avatar', cid)).status).toBe(200)
  })
})

describe('headers for browsers and caches', () => {
  test('a picture is cacheable forever, and never sent twice', async () => {
    const cid = host.put(await picture(10, 10).png().toBuffer())
    const first = await world.image('avatar', cid)
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
    const etag = first.headers.get('etag')!
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
    const again = await world.image('avatar', cid, { headers: { 'if-none-match': `W/${etag}` } })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
    const other = await world.image('avatar', cid, { headers: { 'if-none-match': '"other"' } })
    expect(other.status).toBe(200)
  })

  test('whether it was cached', async () => {
    const cid = host.put(await picture(10, 10).png().toBuffer())
    const notified: (string | null)[] = []
    for (const preset of ['avatar', 'avatar', 'banner', 'avatar']) {
      notified.push((await world.image(preset, cid)).headers.get('x-cache'))
    }
    expect(notified).toEqual(['miss', 'hit', 'miss', 'hit'])
  })

  test('HEAD has the headers of GET', async () => {
    const cid = host.put(await picture(10, 10).png().toBuffer())
    const got = await world.image('avatar', cid)
    const requested = await world.image('avatar', cid, { method: 'HEAD' })
    expect(requested.headers.get('content-length')).toBe(got.headers.get('content-length'))
    expect(requested.headers.get('etag')).toBe(got.headers.get('etag'))
    expect(await requested.text()).toBe('')
  })
})

describe('the cache', () => {
  test('sixty simultaneous requests for one picture in two sizes are one fetch', async () => {
    const cid = host.put(await picture(800, 800).png().toBuffer())
    const [before, requestedBefore] = [host.requests(), world.requested()]
    host.waitFor(until(() => world.requested() === requestedBefore + 60))
    const all = Array.from({ length: 60 }, (_, i) =>
      world.image(i % 2 ? 'avatar' : 'avatar_thumbnail', cid),
    )
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(host.requests()).toBe(before + 1)
  })

  test('survives a restart, and a torn file is made again', async () => {
    const cid = host.put(await picture(50, 50).png().toBuffer())
    const bytes = await (await world.image('avatar', cid)).bytes()
    const reopened = await startMediaWorld({ before: world, dataDir: world.dataDir })
    try {
      const before = host.requests()
      expect(await (await reopened.image('avatar', cid)).bytes()).toEqual(bytes)
      expect(host.requests()).toBe(before)
      for (const damage of [cutShort, changeOneByte, emptyOut]) {
        damage(fileWith(bytes))
        const requested = host.requests()
        expect(await (await reopened.image('avatar', cid)).bytes()).toEqual(bytes)
        expect(host.requests(), damage.name).toBe(requested + 1)
      }
    } finally {
      await reopened.close()
    }
  })

  function filesOf(dataDir: string): string[] {
    const folder = join(dataDir, 'media-cache')
    return readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  }

  function fileWith(body: Uint8Array): string {
    return filesOf(world.dataDir).find((path) => readFileSync(path).includes(Buffer.from(body)))!
  }

  function cutShort(path: string): void {
    truncateSync(path, readFileSync(path).length - 1)
  }

  function changeOneByte(path: string): void {
    const bytes = readFileSync(path)
    bytes[bytes.length - 3]! ^= 1
    writeFileSync(path, bytes)
  }

  function emptyOut(path: string): void {
    truncateSync(path, 0)
  }
})
