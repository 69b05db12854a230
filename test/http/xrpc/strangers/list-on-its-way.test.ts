// A stranger's list whose record is here while its people are still being read: an empty list would read like a
// fact.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { didOf } from '../../../support/records.ts'
import {
  type StrangersWorld,
  startStrangersWorld,
  write,
} from '../../../support/strangers-world.ts'

type Answer = { error?: string; items?: object[] }

const LIST = 'app.bsky.graph.list'
const ITEM = 'app.bsky.graph.listitem'
const CURATED = 'app.bsky.graph.defs#curatelist'
const alice = didOf('alice')

let world: StrangersWorld
let isHeld: boolean
let held: (() => void)[]

/** Answers about items wait until then. */
function untilGoing(): Promise<void> | undefined {
  return isHeld ? new Promise((resolve) => held.push(resolve)) : undefined
}

function goOn(): void {
  isHeld = false
  for (const one of held) one()
}

beforeEach(() => {
  isHeld = true
  held = []
})
afterEach(async () => {
  goOn()
  await world.stop()
})

type Pack = { error?: string; starterPack?: { listItemsSample: object[] } }

test('a starter pack on it is not shown empty', async () => {
  world = await startStrangersWorld()
  const { w, pds } = world
  const eve = await world.person('eve')
  const list = write(eve, LIST, { name: 'people', purpose: 'app.bsky.graph.defs#referencelist' })
  write(eve, ITEM, { list: list.uri, subject: eve.did })
  const pack = write(eve, 'app.bsky.graph.starterpack', { name: 'pack', list: list.uri })
  pds.onRequest(({ query }) => (query['collection'] === ITEM ? untilGoing() : undefined))
  const query = { starterPack: pack.uri }
  const read = () => w.ask<Pack>('app.bsky.graph.getStarterPack', query, alice)
  for (let look = 0; look < 2; look++) expect((await read()).status).toBe(503)
  goOn()
  await expect.poll(async () => (await read()).body.starterPack?.listItemsSample.length).toBe(1)
})

test('is not empty, at no look, and then whole', async () => {
  world = await startStrangersWorld()
  const { w, pds } = world
  const eve = await world.person('eve')
  const list = write(eve, LIST, { name: 'people', purpose: CURATED })
  write(eve, ITEM, { list: list.uri, subject: eve.did })
  pds.onRequest(({ query }) => (query['collection'] === ITEM ? untilGoing() : undefined))
  const read = () => w.ask<Answer>('app.bsky.graph.getList', { list: list.uri }, alice)
  for (let look = 0; look < 2; look++) {
    const { status, body, headers } = await read()
    expect([status, body.error]).toEqual([503, 'NotKnownHere'])
    expect(headers.get('retry-after')).toBeTruthy()
  }
  goOn()
  await expect.poll(async () => (await read()).body.items?.length).toBe(1)
})
