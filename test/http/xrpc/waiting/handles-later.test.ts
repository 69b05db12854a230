// A handle that becomes right later: it is looked up again when a member sees the account, when an event tells of
// it, and by age, however often that failed before.

import { afterEach, describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/base/util/durations.ts'
import { setActorIdentity } from '../../../../src/data/store/records/actors.ts'
import { createHandleChecks } from '../../../../src/ingest/upkeep/members/recheck-handles.ts'
import { didOf } from '../../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../../support/serving-world.ts'
import { type StrangersWorld, startStrangersWorld } from '../../../support/strangers-world.ts'

const INVALID = 'handle.invalid'
const alice = didOf('alice')

let world: StrangersWorld | undefined
let still: ServingWorld | undefined
afterEach(async () => {
  await world?.stop()
  still?.dispose()
  world = undefined
  still = undefined
})

type Dns = 'says nothing' | 'fails' | 'is right'

async function start(first: Dns) {
  const dns = { now: first }
  const dids = new Map<string, string>()
  world = await startStrangersWorld({
    async dns(name) {
      if (dns.now === 'fails') throw Object.assign(new Error(name), { code: 'ESERVFAIL' })
      return dns.now === 'is right' ? [[`did=${dids.get(name)}`]] : []
    },
  })
  const { w, person } = world
  const eve = await person('eve')
  dids.set('_atproto.eve.example.com', eve.did)
  const visible = async () => {
    const query = { actor: eve.did }
    return (await w.get<{ handle: string }>('app.bsky.actor.getProfile', query, alice)).handle
  }
  expect(await visible()).toBe(INVALID)
  dns.now = 'is right'
  return { w, eve, shown: visible }
}

const lookUpsOf = (w: ServingWorld, did: string) =>
  w.db
    .prepare("SELECT not_before, attempts FROM jobs WHERE kind = 'identity' AND subject = ?")
    .all(w.uid(did)) as { not_before: number; attempts: number }[]

/** As after a day of failures. */
function haveFailedForLong(w: ServingWorld, did: string) {
  w.db
    .prepare(`INSERT INTO jobs (kind, subject, priority, attempts, not_before, last_error)
      VALUES ('identity', :uid, 40, 9, :later, 'unreachable') ON CONFLICT DO UPDATE SET
      attempts = 9, not_before = :later, last_error = 'unreachable'`)
    .run({ uid: w.uid(did), later: Date.now() + 5 * HOUR_MS })
}

describe.each(['says nothing', 'fails'] as const)('where DNS %s at first', (first) => {
  test('it is shown soon after an identity event', async () => {
    const { w, eve, shown: visible } = await start(first)
    w.identity(eve.did)
    await expect.poll(visible).toBe('eve.example.com')
  })

  test('and after a member has seen the account again, from another thread', async () => {
    const { w, eve, shown: visible } = await start(first)
    w.world.request({ id: 1, kind: 'fetch-requested', did: alice, dids: [eve.did], uris: [] })
    await expect.poll(visible).toBe('eve.example.com')
  })
})

describe('after a day of failures', () => {
  test('a look-up that was put off is due when a member sees the account', () => {
    still = createServingWorld({ members: ['alice'], queuesFetchRequests: true })
    still.post(alice, 'hello')
    const eve = didOf('eve')
    still.follow(alice, eve)
    haveFailedForLong(still, eve)
    still.world.request({ id: 1, kind: 'fetch-requested', did: alice, dids: [eve], uris: [] })
    const [job] = lookUpsOf(still, eve)
    expect(job!.not_before).toBeLessThanOrEqual(still.now())
  })

  test('and a minute after an identity event', () => {
    still = createServingWorld({ members: ['alice'] })
    const eve = didOf('eve')
    still.follow(alice, eve)
    haveFailedForLong(still, eve)
    still.identity(eve)
    const [job] = lookUpsOf(still, eve)
    expect(job).toMatchObject({ attempts: 0 })
    expect(job!.not_before).toBeLessThanOrEqual(still.now() + MINUTE_MS)
  })
})

describe('by age', () => {
  function followed(handleValid: boolean) {
    const w = createServingWorld({ members: ['alice'] })
    still = w
    const [eve, zoe] = [didOf('eve'), didOf('zoe')]
    w.follow(alice, eve)
    w.profile(zoe, { displayName: 'zoe' })
    const found = { handleValid, pds: null, checkedAt: w.now() }
    for (const [i, did] of [eve, zoe].entries()) {
      w.run((ctx) => setActorIdentity(ctx.db, w.uid(did), { ...found, handle: `${i}.test` }))
    }
    w.db.prepare('DELETE FROM jobs').run()
    const check = createHandleChecks(w.memory.actors)
    const queuedAfter = (ms: number) => w.run((ctx) => check(ctx.db, found.checkedAt + ms))
    return { w, eve, zoe, queuedAfter }
  }

  test.each([
    ['an hour', false, HOUR_MS],
    ['a day', true, DAY_MS],
  ])('after %s if it is valid: %s', (_, isValid, afterMs) => {
    const { w, eve, zoe, queuedAfter } = followed(isValid)
    expect(queuedAfter(afterMs - 1)).toBe(0)
    expect(queuedAfter(afterMs)).toBe(1)
    expect(lookUpsOf(w, eve)).toHaveLength(1)
    // Nobody here follows zoe.
    expect(lookUpsOf(w, zoe)).toHaveLength(0)
  })
})
