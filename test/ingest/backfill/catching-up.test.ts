// Jobs that nobody waits for leave the thread to a stream that catches up.

import { afterEach, expect, it } from 'vitest'
import { jobPriority } from '../../../src/data/store/fetching/job-kinds.ts'
import { enqueueJob } from '../../../src/data/store/fetching/jobs.ts'
import { internActor } from '../../../src/ingest/indexing/index-context.ts'
import { type BackfillWorld, startBackfillWorld } from '../../support/backfill-world.ts'

const PEOPLE = 20

let world: BackfillWorld | undefined
afterEach(() => world?.close())

it('looks up few strangers while the stream catches up, and what a client waits for at once', async () => {
  let isCatchingUp = true
  world = await startBackfillWorld({ isCatchingUp: () => isCatchingUp })
  const { backfill, db, plc } = world
  const people: { did: string }[] = []
  for (let i = 0; i < PEOPLE; i++) people.push(await world.person(`person${i}`))
  const uids = world.writer.commit((ctx) => people.map(({ did }) => internActor(ctx, did)))
  backfill.start()
  plc.lag(2_000)
  for (const uid of uids) enqueueJob(db, 'identity', uid)
  await expect.poll(() => plc.hits()).toBe(8)
  for (const uid of uids.slice(-5)) enqueueJob(db, 'identity', uid, jobPriority.wanted)
  await expect.poll(() => people.slice(-5).every(({ did }) => plc.hits(did) > 0)).toBe(true)
  expect(plc.hits()).toBeLessThan(PEOPLE)
  isCatchingUp = false
  plc.lag(0)
  await expect.poll(() => people.every(({ did }) => plc.hits(did) > 0)).toBe(true)
})
