// Jobs that a request waits for run before those queued earlier, even if the runner has already taken those.

import { afterEach, expect, it } from 'vitest'
import { jobPriority } from '../../../src/data/store/fetching/job-kinds.ts'
import { enqueueJob } from '../../../src/data/store/fetching/jobs.ts'
import { internActor } from '../../../src/ingest/indexing/index-context.ts'
import { type BackfillWorld, startBackfillWorld } from '../../support/backfill-world.ts'

const PEOPLE = 40

let world: BackfillWorld
afterEach(() => world.close())

it('next looks up the accounts on a page that a request waits for', async () => {
  world = await startBackfillWorld({ limits: { identities: 1, maxJobs: 1 } })
  const people: { did: string }[] = []
  for (let i = 0; i < PEOPLE; i++) people.push(await world.person(`person${i}`))
  world.plc.lag(20)
  const uids = world.writer.commit((ctx) => people.map(({ did }) => internActor(ctx, did)))
  for (const uid of uids) enqueueJob(world.db, 'identity', uid)
  const lookedUp = world.db
    .prepare<[], number>(
      'SELECT uid FROM actors WHERE identity_checked_at IS NOT NULL ORDER BY identity_checked_at',
    )
    .pluck()
  world.backfill.start()
  await expect.poll(() => lookedUp.all().length).toBeGreaterThan(0)
  enqueueJob(world.db, 'identity', uids.at(-1)!, jobPriority.wanted)
  world.backfill.wake()
  await world.settled()
  expect(lookedUp.all()).toHaveLength(PEOPLE)
  expect(lookedUp.all().indexOf(uids.at(-1)!)).toBeLessThan(PEOPLE / 2)
})
