// A Jetstream that is honest at first, then makes things up and keeps things back.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { cidOf } from '../../support/records.ts'
import { type LyingWorld, POST, startLyingWorld, UNHURRIED } from './lying-world.ts'

let world: LyingWorld

beforeAll(async () => {
  world = await startLyingWorld(['ann', 'bob'])
})
afterAll(() => world.close())

test('what an honest host says is proved', async () => {
  const { slipstream, write, counted } = world
  for (let i = 0; i < 10; i++) slipstream.double.emit(write('bob', `post ${i}`, 120_000))
  await eventually(
    async () => expect(await counted('verifications_total', 'outcome="proved"')).toBeGreaterThan(9),
    UNHURRIED,
  )
  expect(await counted('unverified_total', 'host=')).toBe(0)
})

test('what it makes up is found within a minute, counted, and put right', async () => {
  const { slipstream, found, isVisible } = world
  const record = { $type: POST, text: 'bob never said this', createdAt: new Date().toISOString() }
  const forged = { did: slipstream.didOf('bob'), collection: POST, rkey: '3zzzzzzzzzzzz', record }
  slipstream.double.emit({ ...forged, operation: 'create', cid: cidOf(record) })
  const uri = `at://${forged.did}/${POST}/${forged.rkey}`
  await found('forged', 0)
  await eventually(async () => expect(await isVisible(uri)).toBe(false), UNHURRIED)
})

test('what it keeps back is found within a minute, and fetched', async () => {
  const { write, found, isVisible } = world
  const { did, rkey } = write('bob', 'kept from the stream', 30_000)
  await found('kept-back', 0)
  await eventually(
    async () => expect(await isVisible(`at://${did}/${POST}/${rkey}`)).toBe(true),
    UNHURRIED,
  )
})

test('so is what it keeps back of an account of which it never said anything', async () => {
  world.write('ann', 'never heard of', 0)
  await eventually(
    async () => expect(await world.counted('unverified_total', 'reason="kept-back"')).toBe(2),
    UNHURRIED,
  )
})
