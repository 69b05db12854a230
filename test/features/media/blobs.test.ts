// Pictures as uploaded, at the reference's address: cached after the first request, only of known accounts,
// only pictures, and with the reference's errors.

import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BlobHost, blobCid } from '../../support/blob-host.ts'
import { type MediaWorld, startMediaWorld } from './support/media-world.ts'

let host: BlobHost
let world: MediaWorld
let uploaded: Buffer
let cid: string

beforeAll(async () => {
  world = await startMediaWorld()
  host = world.host
  const plain = sharp({ create: { width: 30, height: 20, channels: 3, background: '#a06' } })
  uploaded = await plain.jpeg().toBuffer()
  cid = host.put(uploaded, 'text/html')
})
afterAll(() => world.close())

function blob(of: string, did = world.did, init: RequestInit = {}): Promise<Response> {
  return fetch(`${world.url}/blob/${did}/${of}`, init)
}

test('a picture is served byte for byte, fetched once, and can’t act in a page', async () => {
  const before = host.requests()
  for (let i = 0; i < 2; i++) {
    const response = await blob(cid)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(uploaded)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(uploaded.length),
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
  }
  expect(host.requests()).toBe(before + 1)
  const part = await blob(cid, world.did, { headers: { range: 'bytes=0-2' } })
  expect(part.status).toBe(206)
  expect(Buffer.from(await part.arrayBuffer())).toEqual(uploaded.subarray(0, 3))
})

test('other files are not served', async () => {
  for (const text of ['<script>alert(1)</script>', '<svg xmlns="http://www.w3.org/2000/svg"/>']) {
    const response = await blob(host.put(Buffer.from(text), 'image/jpeg'))
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ error: 'NotFoundError', message: 'Blob not found' })
  }
})

test('not of an account that is taken down, even if a copy is cached', async () => {
  expect((await blob(cid)).status).toBe(200)
  world.setHidden(true)
  expect((await blob(cid)).status).toBe(404)
  world.setHidden(false)
  expect((await blob(cid)).status).toBe(200)
})

test('a wrong address gets the reference’s error', async () => {
  const known = world.did
  const wrong: [did: string, cid: string, status: number, error: string, message: string][] = [
    [known, blobCid(Buffer.from('none')), 404, 'NotFoundError', 'Blob not found'],
    [known, `bafyrei${'a'.repeat(52)}`, 404, 'NotFoundError', 'Blob not found'],
    [`did:plc:${'a'.repeat(24)}`, cid, 404, 'NotFoundError', 'Origin not found'],
    ['did::', cid, 400, 'BadRequestError', 'Invalid did'],
    [known, 'barfy', 400, 'BadRequestError', 'Invalid cid'],
  ]
  for (const [did, of, status, error, message] of wrong) {
    const response = await blob(of, did)
    expect([response.status, await response.json()]).toEqual([status, { error, message }])
  }
})
