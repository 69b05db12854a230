// Strangers that are looked up in the PLC directory before the public AppView is asked about them: of what the directory
// allows, visitors leave most to members and the background; and both the look-ups and the question are charged.

import { afterEach, expect, test } from 'vitest'
import { createCountBuffer } from '../../../src/data/shared-memory/count-table.ts'
import { createQuotas } from '../../../src/sources/quota.ts'
import { type AppviewDouble, startAppviewDouble } from '../../support/appview-double.ts'
import { alice, ENOUGH, FLOODS, flood, servingFloods } from '../../support/flooding-visitors.ts'
import { didOf } from '../../support/records.ts'
import { createServingWorld } from '../../support/serving-world.ts'
import { asking } from './asking.ts'

const PROFILES = 'app.bsky.actor.getProfiles'

let double: AppviewDouble | undefined
const { serve, stop } = servingFloods()
afterEach(async () => {
  await stop()
  await double?.close()
})

test('three visitors leave members their look-ups at the directory', async () => {
  const looked: string[] = []
  double = await startAppviewDouble()
  double.answer(PROFILES, { profiles: [] })
  const world = createServingWorld({
    members: ['alice'],
    quotas: createQuotas(createCountBuffer()),
    elsewhere: asking(double),
    onLookup: (did) => void looked.push(did),
  })
  const ask = await serve(world)
  const path = (i: number) =>
    `${PROFILES}?actors=${didOf(`one of ${i}`)}&actors=${didOf(`other of ${i}`)}`
  await flood(ask, path)
  expect(looked.length).toBeGreaterThan(ENOUGH)
  expect(looked.length).toBeLessThanOrEqual(3_000 / 4)
  const before = looked.length
  for (let i = 0; i < ENOUGH; i++) await ask(path(FLOODS + i), alice)
  expect(looked).toHaveLength(before + 2 * ENOUGH)
})

/** No other time passes in this world. */
const LOOKUP_MS = 2

test('each is charged to its call, and so is what the public AppView is asked', async () => {
  double = await startAppviewDouble()
  double.answer(PROFILES, { profiles: [] })
  let usedMs = 0
  const world = createServingWorld({
    members: ['alice'],
    elsewhere: asking(double),
    onMemberTime(_, ms) {
      usedMs += ms
    },
  })
  await world.ask(PROFILES, { actors: [didOf('bob'), didOf('eve')] }, didOf('alice'))
  // Two accounts, a question and its few bytes.
  expect(Math.floor(usedMs)).toBe(3 * LOOKUP_MS)
  world.dispose()
})
