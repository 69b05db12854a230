// Whoever asks for pictures and videos pays for the turns behind the first one: each piece that is fetched and
// hashed is measured, and what is sent has a price by its bytes.

import { afterEach, expect, test } from 'vitest'
import { CallTime } from '../../../src/base/util/turn.ts'
import { type MediaWorld, startMediaWorld } from './support/media-world.ts'

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const MP4 = Buffer.from('\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41', 'latin1')
const SMALL = 1_000
const LARGE = 3_000_000
/** 0.14 s for a gigabit, and a tenth of a millisecond for a request (src/features/media/visitor.ts). */
const costOf = (bytes: number) => 0.1 + bytes * 1.1e-6

let world: MediaWorld
afterEach(() => world?.close())

/** A clock that each measured turn moves by a second. */
async function start(videos?: { kind: 'own' }) {
  let nowMs = 0
  const time = new CallTime({ turnMs: Number.POSITIVE_INFINITY, clock: () => (nowMs += 1_000) })
  world = await startMediaWorld({ time, ...(videos && { videos }) })
  return async (path: string, headers: Record<string, string> = {}) => {
    const before = time.usedMs
    const response = await fetch(world.url + path, { headers })
    const { length } = await response.bytes()
    return { status: response.status, length, usedMs: time.usedMs - before }
  }
}

test('a picture: its fetch is measured, and its bytes have a price each time', async () => {
  const get = await start()
  const cid = world.host.put(Buffer.concat([PNG, Buffer.alloc(SMALL)]))
  const path = `/blob/${world.did}/${cid}`
  const fetched = await get(path)
  expect(fetched.status).toBe(200)
  expect(fetched.usedMs).toBeGreaterThan(1_000)
  const again = await get(path)
  expect(again.usedMs).toBeCloseTo(costOf(again.length))
})

test('a video: only the bytes that are sent', async () => {
  const get = await start({ kind: 'own' })
  const cid = world.host.put(Buffer.concat([MP4, Buffer.alloc(LARGE)]))
  const path = `/video/${world.did}/${cid}`
  await get(path)
  const all = await get(path)
  expect(all).toMatchObject({ status: 200, length: MP4.length + LARGE })
  expect(all.usedMs).toBeCloseTo(costOf(all.length))
  const part = await get(path, { range: 'bytes=100-1099' })
  expect(part).toMatchObject({ status: 206, length: 1_000 })
  expect(part.usedMs).toBeCloseTo(costOf(1_000))
})

test('what a server does not have: asking it, and of a stranger’s, finding it', async () => {
  const get = await start()
  const stranger = await world.know(world.host.url, 'stranger')
  const missing = world.host.put(Buffer.from('never there'))
  world.host.behave({ fail: 400 })
  const path = `/blob/${stranger}/${missing}`
  const visitor = { 'x-visitor': '192.0.2.1' }
  const first = await get(path, visitor)
  expect(first.status).toBe(404)
  expect(first.usedMs).toBeCloseTo(2 + 0.3 + costOf(0))
  const followed = await get(`/blob/${world.did}/${missing}`, visitor)
  expect(followed.usedMs).toBeCloseTo(0.3 + costOf(0))
})

test('what is refused costs its request', async () => {
  const get = await start()
  const { status, usedMs } = await get('/blob/did:web:nobody.test/bafkreiabc')
  expect(status).toBeGreaterThanOrEqual(400)
  expect(usedMs).toBeCloseTo(costOf(0))
})
