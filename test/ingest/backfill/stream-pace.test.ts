// Jobs that nobody waits for leave the thread to a stream that catches up.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { enqueueJob, jobPriority } from '../../../src/data/store/jobs.ts'
import { createStreamPace } from '../../../src/ingest/backfill/stream-pace.ts'
import { internActor } from '../../../src/ingest/indexing/index-context.ts'
import { type BackfillWorld, startBackfillWorld } from '../../support/backfill-world.ts'

const PEOPLE = 20

let world: BackfillWorld | undefined
afterEach(() => world?.close())

it('tells catching up from the fastest live stream', () => {
  let nowMs = 0
  const pace = createStreamPace(() => nowMs)
  const run = (perSecond: number, ms: number) => {
    for (const endMs = nowMs + ms; nowMs < endMs; nowMs += 10) pace.count(perSecond / 100)
    return pace.isCatchingUp()
  }
  expect(run(600, 2_000)).toBe(false)
  expect(run(2_000, 2_000)).toBe(false)
  expect(run(10_000, 1_000)).toBe(true)
  expect(run(600, 1_000)).toBe(false)
  expect(run(10_000, 1_000)).toBe(true)
  nowMs += 1_000
  expect(pace.isCatchingUp()).toBe(false)
})

it('looks up few strangers while the stream catches up, and what a client waits for at once', async () => {
  world = await startBackfillWorld()
  const { backfill, db, plc } = world
  const people: { did: string }[] = []
  for (let i = 0; i < PEOPLE; i++) people.push(await world.person(`person${i}`))
  const uids = world.writer.commit((ctx) => people.map(({ did }) => internActor(ctx, did)))
  backfill.start()
  const stream = setInterval(() => backfill.wake(10_000), 20)
  await sleep(600) // until the pace is known
  plc.lag(2_000)
  for (const uid of uids) enqueueJob(db, 'identity', uid)
  await expect.poll(() => plc.hits()).toBe(8)
  for (const uid of uids.slice(-5)) enqueueJob(db, 'identity', uid, jobPriority.wanted)
  await expect.poll(() => people.slice(-5).every(({ did }) => plc.hits(did) > 0)).toBe(true)
  expect(plc.hits()).toBeLessThan(PEOPLE)
  clearInterval(stream)
  plc.lag(0)
  await expect.poll(() => people.every(({ did }) => plc.hits(did) > 0)).toBe(true)
})
