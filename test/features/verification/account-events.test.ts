// The stream waits while accounts' own servers are asked whether they are there: not for long, however many are said to be
// away and however their servers behave.

import type { AccountEvent } from '@slipstream/jetstream'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { createCounts } from '../../../src/base/obs/counts.ts'
import { MINUTE_MS } from '../../../src/base/util/durations.ts'
import { createAccountCheck } from '../../../src/features/verification/account-events.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
afterEach(() => world.dispose())

/** @param answerMs - how long each server takes, without telling anything */
function start(answerMs: number) {
  world = createWorld()
  let nowMs = Date.now()
  const requested: string[] = []
  const { actors, db } = world
  const check = createAccountCheck({
    core: { actors, db, counts: createCounts(), log: pino({ level: 'silent' }), now: () => nowMs },
    isOurs: () => true,
    confirm: async ({ did, active, status, timeUs, seq }) => {
      requested.push(did)
      nowMs += answerMs
      return { events: [{ kind: 'account', did, active, status, timeUs, seq }], isIncomplete: true }
    },
  })
  async function reported(did: string): Promise<AccountEvent> {
    const event: AccountEvent = {
      kind: 'account',
      did,
      active: false,
      status: 'deleted',
      timeUs: nowMs * 1000,
      seq: undefined,
    }
    const cursor = {
      host: 'wss://jet.example.org',
      wire: 'v2' as const,
      seq: undefined,
      timeUs: nowMs * 1000,
    }
    const batch = await check({ events: [event], gaps: [], cursor, receivedAtMs: nowMs })
    return batch.events[0] as AccountEvent
  }
  return { asked: requested, said: reported, later: (ms: number) => (nowMs += ms) }
}

test('a server that is silent is asked once a minute', async () => {
  const { asked: requested, said: event, later } = start(10)
  const did = 'did:plc:silent'
  for (let i = 0; i < 20; i++) expect((await event(did)).status).toBe('deactivated')
  expect(requested).toEqual([did])
  later(MINUTE_MS)
  await event(did)
  expect(requested).toEqual([did, did])
})

test('of each minute, the stream waits for some seconds, whoever is asked', async () => {
  const { asked: requested, said: event, later } = start(2_000)
  for (let i = 0; i < 20; i++) expect((await event(`did:plc:${i}`)).status).toBe('deactivated')
  expect(requested).toHaveLength(3)
  later(MINUTE_MS)
  await event('did:plc:next')
  expect(requested).toHaveLength(4)
})
