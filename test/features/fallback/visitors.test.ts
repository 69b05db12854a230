// Visitors neither delay, pause nor disable members' questions to the public AppView. The clock is simulated.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Fallback } from '../../../src/features/fallback/appview/fallback.ts'
import { type AppviewDouble, startAppviewDouble } from '../../support/appview-double.ts'
import { didOf } from '../../support/records.ts'
import { fallbackTo } from './asking.ts'

const PROFILE = 'app.bsky.actor.getProfile'
const SEARCH = 'app.bsky.actor.searchActors'
const member = { rank: 'member', key: didOf('alice') } as const
const visitor = (name: string) => ({ rank: 'visitor', key: `192.0.2.${name}` }) as const

let clock = 1_700_000_000_000
beforeEach(() => {
  clock = 1_700_000_000_000
})

describe('a visitor', () => {
  let double: AppviewDouble
  let fallback: Fallback
  let made = 0

  beforeEach(async () => {
    double = await startAppviewDouble()
    fallback = fallbackTo(double, { now: () => clock })
    double.answer(PROFILE, ({ actor }) => ({ did: actor, handle: 'eve.test', followersCount: 3 }))
  })
  afterEach(() => double.close())

  const ask = (asker: typeof member | ReturnType<typeof visitor>, nsid = PROFILE, did = '') => {
    const params = { [nsid === PROFILE ? 'actor' : 'q']: did || didOf(`one of ${++made}`) }
    return fallback.ask({ nsid, params, labelers: [], asker })
  }

  test('who floods does not delay a member, not even for the same question', async () => {
    const release = Promise.withResolvers<void>()
    const held = new Set(Array.from({ length: 15 }, (_, i) => didOf(`held ${i}`)))
    let isHeld = true
    double.answer(PROFILE, async ({ actor }) => {
      if (isHeld && held.has(String(actor))) await release.promise
      return { did: actor, handle: 'eve.test', followersCount: 3 }
    })
    const flood = [...held].map((did, i) => ask(visitor(String(i)), PROFILE, did))
    await expect.poll(() => double.asked.length).toBe(3)
    isHeld = false
    for (const did of held) expect(await ask(member, PROFILE, did)).toMatchObject({ did })
    release.resolve()
    await Promise.all(flood)
  })

  test('who makes it fail or refuse pauses and disables only visitors’ questions', async () => {
    double.answer(SEARCH, { status: 500 })
    for (let i = 0; i < 10; i++) await ask(visitor(String(i)), SEARCH)
    expect(await ask(visitor('20'))).toBeUndefined()
    expect(await ask(member)).toMatchObject({ followersCount: 3 })
    clock += 600_000
    double.answer(SEARCH, { status: 403 })
    expect(await ask(visitor('1'), SEARCH)).toBeUndefined()
    double.answer(SEARCH, { actors: [] })
    expect(await ask(visitor('2'), SEARCH)).toBeUndefined()
    expect(await ask(member, SEARCH)).toEqual({ actors: [] })
  })

  test('who is told to wait makes all wait: the limit is the server’s', async () => {
    double.allow(0)
    expect(await ask(visitor('1'))).toBeUndefined()
    const requested = double.asked.length
    expect(await ask(member)).toBeUndefined()
    expect(double.asked).toHaveLength(requested)
  })
})
