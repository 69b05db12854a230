// Servers that drip, endless hosts of one domain and visitors that ask for everything: what they hold up is
// their own, and others' pictures and videos come before any of theirs has ended.

import sharp from 'sharp'
import { afterEach, expect, test } from 'vitest'
import { createCountBuffer } from '../../../src/data/shared-memory/count-table.ts'
import { createStrangerBytes } from '../../../src/features/media/blobs/stranger-bytes.ts'
import { createGuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'
import { createQuotas } from '../../../src/sources/quota.ts'
import { type BlobHost, startBlobHost } from '../../support/blob-host.ts'
import { type MediaWorld, startMediaWorld } from './support/media-world.ts'
import { startVideoService } from './support/video-service-double.ts'

const HEAD = Buffer.from('\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41', 'latin1')
const KILOBYTES = 40

let made = 0
const closing: (() => Promise<unknown>)[] = []
const stopping: AbortController[] = []

afterEach(async () => {
  for (const abortController of stopping.splice(0)) abortController.abort()
  for (const close of closing.splice(0)) await close()
})

/** A different one each time. */
function video(): Buffer {
  return Buffer.concat([HEAD, Buffer.alloc(KILOBYTES * 1000 - HEAD.length, ++made)])
}

function picture(): Promise<Buffer> {
  const background = { r: ++made % 256, g: made >> 8, b: 20 }
  return sharp({ create: { width: 40, height: 40, channels: 3, background } })
    .png()
    .toBuffer()
}

async function startWorld(options: Parameters<typeof startMediaWorld>[0] = {}) {
  const world = await startMediaWorld({ ...options, hasNames: true })
  const drips = await startBlobHost()
  drips.behave('drip')
  closing.push(drips.close, world.close)
  return { world, drips }
}

/** The same server under another name. */
function named(host: BlobHost, name: string): string {
  return host.url.replace('127.0.0.1', name)
}

/** Asks, and notes the status once there is one. */
function ask(world: MediaWorld, path: string, visitor: string) {
  const stop = new AbortController()
  stopping.push(stop)
  const requested = { status: 0, answer: Promise.resolve(0) }
  const init = { headers: { 'x-visitor': visitor }, signal: stop.signal }
  requested.answer = fetch(world.url + path, init).then(
    async (response) => {
      await response.arrayBuffer()
      requested.status = response.status
      return response.status
    },
    () => 0,
  )
  return requested
}

type Wanted = { pds: string; host: BlobHost; visitor: string; who?: 'stranger' }

async function askVideo(world: MediaWorld, { pds, host, visitor, who }: Wanted) {
  const cid = host.put(video())
  return ask(world, `/video/${await world.know(pds, who)}/${cid}`, visitor)
}

async function askPicture(world: MediaWorld, { pds, host, visitor, who }: Wanted) {
  const cid = host.put(await picture())
  return ask(world, `/img/avatar/plain/${await world.know(pds, who)}/${cid}`, visitor)
}

const isOver = ({ status }: { status: number }) => status !== 0

test('four dripping hosts on two domains hold up nobody else’s video', async () => {
  const { world, drips } = await startWorld()
  const hosts = ['a.one.example', 'b.one.example', 'c.two.example', 'd.two.example']
  const dripping = await Promise.all(
    hosts.map((name) =>
      askVideo(world, { pds: named(drips, name), host: drips, visitor: 'x', who: 'stranger' }),
    ),
  )
  await expect.poll(drips.requests).toBeGreaterThan(0)
  const { host } = world
  const followed = await askVideo(world, { pds: host.url, host, visitor: 'y' })
  expect(await followed.answer).toBe(200)
  const stranger = {
    pds: named(host, 'good.example'),
    host,
    visitor: 'y',
    who: 'stranger',
  } as const
  expect(await (await askVideo(world, stranger)).answer).toBe(200)
  expect(dripping.filter(isOver)).toEqual([])
})

test('however many ask for dripping videos, half of the places are for accounts that members follow', async () => {
  const { world, drips } = await startWorld()
  const dripping = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      askVideo(world, {
        pds: named(drips, `host.of-${i}.example`),
        host: drips,
        visitor: `x${i}`,
        who: 'stranger',
      }),
    ),
  )
  await expect.poll(drips.requests).toBe(4)
  const { host } = world
  const followed = await Promise.all(
    ['y', 'z'].map((visitor) => askVideo(world, { pds: host.url, host, visitor })),
  )
  expect(await Promise.all(followed.map(({ answer }) => answer))).toEqual([200, 200])
  expect(drips.requests()).toBe(4)
  expect(dripping.filter(({ status }) => status === 200)).toEqual([])
})

test('96 dripping pictures hold up no picture of an account that members follow', async () => {
  const { world, drips } = await startWorld()
  const dripping = await Promise.all(
    Array.from({ length: 96 }, (_, i) =>
      askPicture(world, {
        pds: named(drips, `host.of-${i % 13}.example`),
        host: drips,
        visitor: `x${i % 4}`,
        who: 'stranger',
      }),
    ),
  )
  await expect.poll(drips.requests).toBe(48)
  const { host } = world
  expect(await (await askPicture(world, { pds: host.url, host, visitor: 'y' })).answer).toBe(200)
  expect(dripping.filter(isOver)).toEqual([])
})

test('previews, too, are made for others while some drip', async () => {
  const { world, drips } = await startWorld()
  const preview = async ({ pds, host, visitor, who }: Wanted) => {
    const cid = host.put(video())
    return ask(world, `/video/${await world.know(pds, who)}/${cid}/thumbnail.jpg`, visitor)
  }
  const dripping = await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      preview({
        pds: named(drips, `host.of-${i}.example`),
        host: drips,
        visitor: `x${i}`,
        who: 'stranger',
      }),
    ),
  )
  await expect.poll(drips.requests).toBe(2)
  const { host } = world
  expect(await (await preview({ pds: host.url, host, visitor: 'y' })).answer).toBe(200)
  expect(dripping.filter(isOver)).toEqual([])
})

test('a domain of endless hosts never takes all places, though members follow its accounts', async () => {
  const { world, drips } = await startWorld()
  const dripping = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      askVideo(world, {
        pds: named(drips, `host-${i}.evil.co.uk`),
        host: drips,
        visitor: `x${i}`,
      }),
    ),
  )
  await expect.poll(drips.requests).toBe(6)
  const { host } = world
  const other = { pds: named(host, 'good.co.uk'), host, visitor: 'y' }
  expect(await (await askVideo(world, other)).answer).toBe(200)
  expect(drips.requests()).toBe(6)
  expect(dripping.filter(isOver)).toEqual([])
})

test('hosts of a domain that serves many followed accounts count each for itself', async () => {
  const { world, drips } = await startWorld()
  const { host } = world
  const strangers = async () => {
    const before = drips.requests()
    const request = Array.from({ length: 4 }, (_, i) =>
      askVideo(world, {
        pds: named(drips, `pds-${made}-${i}.host.example`),
        host: drips,
        visitor: `x${made}${i}`,
        who: 'stranger',
      }),
    )
    await Promise.all(request)
    return () => drips.requests() - before
  }
  const stranger = await strangers()
  await expect.poll(stranger).toBe(1)
  for (let i = 0; i < 8; i++) {
    const item = { pds: named(host, `pds-${i}.host.example`), host, visitor: 'y' }
    expect(await (await askVideo(world, item)).answer).toBe(200)
  }
  await strangers()
  await expect.poll(stranger).toBe(4)
})

test('who asks first for others’ blobs does not decide when they come', async () => {
  const { world, drips } = await startWorld()
  const { host } = world
  for (let i = 0; i < 10; i++) {
    const pds = named(drips, `host.of-${i}.example`)
    await askVideo(world, { pds, host: drips, visitor: 'x', who: 'stranger' })
  }
  await expect.poll(drips.requests).toBe(2)
  const cid = host.put(video())
  const did = await world.know(named(host, 'good.example'), 'stranger')
  const first = ask(world, `/video/${did}/${cid}`, 'x')
  // Its fetch waits behind the flood once its account was looked up.
  await expect.poll(() => world.plc.hits(did)).toBe(1)
  await expect
    .poll(async () => {
      const again = ask(world, `/video/${did}/${cid}`, 'y')
      return Promise.race([
        again.answer,
        new Promise((resolve) => setTimeout(resolve, 200, 'waits')),
      ])
    })
    .toBe(200)
  expect(await first.answer).toBe(200)
})

test('bytes of accounts that no member follows are limited, for each address and within the hour', async () => {
  let now = Date.now()
  const limits = { windowSeconds: 3600, each: 2 * KILOBYTES, all: 100 * KILOBYTES }
  const strangerBytes = createStrangerBytes(createCountBuffer(64), { now: () => now, limits })
  const { world } = await startWorld({ strangerBytes })
  const { host } = world
  const status = async (visitor: string, who?: 'stranger') =>
    (await askVideo(world, { pds: host.url, host, visitor, ...(who && { who }) })).answer
  expect(await status('x', 'stranger')).toBe(200)
  expect(await status('x', 'stranger')).toBe(200)
  expect(await status('x', 'stranger')).toBe(429)
  expect(await status('x')).toBe(200)
  expect(await status('y', 'stranger')).toBe(200)
  now += 3_600_000
  expect(await status('x', 'stranger')).toBe(200)
})

test('bytes that turn out to be worthless count, too', async () => {
  const limits = { windowSeconds: 3600, each: KILOBYTES, all: 100 * KILOBYTES }
  const strangerBytes = createStrangerBytes(createCountBuffer(64), { limits })
  const { world } = await startWorld({ strangerBytes })
  const { host } = world
  const did = await world.know(host.url, 'stranger')
  const cid = host.put(Buffer.from('another'))
  host.putAs(cid, video())
  expect(await ask(world, `/video/${did}/${cid}`, 'x').answer).toBe(404)
  const next = { pds: host.url, host, visitor: 'x', who: 'stranger' } as const
  expect(await (await askVideo(world, next)).answer).toBe(429)
})

test('segments of a video service count like blobs', async () => {
  const service = await startVideoService()
  const limits = { windowSeconds: 3600, each: 1, all: 1000 }
  const strangerBytes = createStrangerBytes(createCountBuffer(64), { limits })
  const trustedOrigins = [new URL(service.base).origin]
  const serviceFetch = createGuardedFetch({ allowPrivateHosts: false, trustedOrigins })
  const videos = { kind: 'proxy', base: service.base, fetch: serviceFetch } as const
  const { world } = await startWorld({ strangerBytes, videos })
  closing.push(service.close)
  const stranger = await world.know(world.host.url, 'stranger')
  const segment = (did: string, file: string, visitor: string) =>
    ask(world, `/video/${did}/bafkrei${'a'.repeat(52)}/0/${file}.ts`, visitor).answer
  expect(await segment(stranger, '0', 'x')).toBe(200)
  expect(await segment(stranger, '1', 'x')).toBe(429)
  expect(await segment(stranger, '0', 'x')).toBe(200)
  expect(await segment(world.did, '0', 'x')).toBe(200)
  expect(await segment(stranger, '1', 'y')).toBe(200)
})

test('one address does not use up what a PDS allows us', async () => {
  const quotas = createQuotas(createCountBuffer(64), {
    shares: { visitors: 1 / 2, address: 1 / 300, member: 1 },
  })
  const { world } = await startWorld({ quotas })
  const { host } = world
  const status = async (visitor: string, pds: string, who?: 'stranger') =>
    (await askVideo(world, { pds, host, visitor, ...(who && { who }) })).answer
  expect(await status('x', host.url, 'stranger')).toBe(200)
  expect(await status('x', host.url, 'stranger')).toBe(429)
  expect(await status('x', host.url)).toBe(200)
  expect(await status('x', named(host, 'other.example'), 'stranger')).toBe(200)
  expect(await status('y', host.url, 'stranger')).toBe(200)
})
