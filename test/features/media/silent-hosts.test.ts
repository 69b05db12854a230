// A server that is silent about one account's files still serves the others'; one that is silent about several
// accounts in a row is left alone.

import { afterEach, expect, test } from 'vitest'
import { PIXEL } from '../../support/pixel.ts'
import { type MediaWorld, startMediaWorld } from './support/media-world.ts'

let world: MediaWorld
afterEach(() => world.close())

/** Each different, since one that failed is not fetched again for a while. */
function pictures(count: number): string[] {
  const bytes = Array.from({ length: count }, (_, i) => Buffer.concat([PIXEL, Buffer.from([i])]))
  return bytes.map((byte) => world.host.put(byte))
}

async function askSilent(accounts: readonly string[]): Promise<void> {
  world.host.behave('stall')
  const cids = pictures(accounts.length)
  for (const [i, did] of accounts.entries()) await world.image('avatar', cids[i]!, { did })
  world.host.behave(undefined)
}

async function isServed(did: string, picture = PIXEL): Promise<boolean> {
  const before = world.host.requests()
  const { status } = await world.image('avatar', world.host.put(picture), { did })
  expect(world.host.requests() - before).toBe(status === 200 ? 1 : 0)
  return status === 200
}

test('silence about one account’s files leaves others’ alone', async () => {
  world = await startMediaWorld({ maxWait: { timeoutMs: 300 } })
  const other = await world.know(world.host.url)
  await askSilent(Array.from({ length: 8 }, () => world.did))
  expect(await isServed(world.did)).toBe(false)
  expect(await isServed(other, Buffer.concat([PIXEL, Buffer.from('other')]))).toBe(true)
  world.advance(61_000)
  expect(await isServed(world.did)).toBe(true)
})

test('silence about several accounts’ in a row closes the server, for a while', async () => {
  world = await startMediaWorld({ maxWait: { timeoutMs: 300 } })
  const others: string[] = []
  for (let i = 0; i < 6; i++) others.push(await world.know(world.host.url))
  await askSilent(others.slice(0, 5))
  expect(await isServed(others[5]!)).toBe(false)
  world.advance(61_000)
  expect(await isServed(others[5]!)).toBe(true)
})
