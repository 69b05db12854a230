// Pages that are tried before they are shown: each look is a turn of its call, measured, charged and in the queue.

import { expect, onTestFinished, test } from 'vitest'
import { MILESTONES, putBackfill } from '../../../../src/data/store/fetching/backfills.ts'
import { didOf } from '../../../support/records.ts'
import { createServingWorld } from '../../../support/serving-world.ts'

const [alice, bob] = [didOf('alice'), didOf('bob')]
const LIMIT = 60

function start() {
  let looks = 0
  const w = createServingWorld({
    members: ['alice'],
    scope: 'network',
    firstPageMaxWaitMs: 60_000,
    threadMs: () => ++looks,
  })
  onTestFinished(() => w.dispose())
  w.follow(alice, bob)
  w.handle(bob, 'bob.test')
  return { w, looks: () => looks }
}

test('a newcomer’s looks for a page are turns of the call', async () => {
  const { w, looks } = start()
  for (let i = 0; i < LIMIT - 1; i++) w.post(bob, `post ${i}`)
  type Page = { feed: object[] }
  const page = w.get<Page>('app.bsky.feed.getTimeline', { limit: LIMIT }, alice)
  await expect.poll(looks).toBeGreaterThan(0)
  // It waits, since more may arrive; each look begins and ends a turn.
  const before = looks()
  let isAnswered = false
  void page.then(() => {
    isAnswered = true
  })
  await expect.poll(looks).toBeGreaterThan(before + 10)
  expect(isAnswered).toBe(false)
  for (const item of Object.values(MILESTONES))
    putBackfill(w.db, w.uid(alice), item, { rev: null, finished_at: 1 })
  expect((await page).feed).toHaveLength(LIMIT - 1)
})
