// A job that fails with an unforeseen error, such as one caused by a server's data: it is reported, retried
// and given up like a job whose server is broken. The other jobs continue, and so does the process.

import { afterEach, expect, test } from 'vitest'
import { UNCOUNTED } from '../../../src/ingest/indexing/members/cold-start-budget.ts'
import { type BackfillWorld, startBackfillWorld } from '../../support/backfill-world.ts'
import { until } from '../../support/eventually.ts'

let world: BackfillWorld | undefined
afterEach(async () => {
  await world?.close()
  world = undefined
})

test('an author whose records cannot be read does not keep others from being read', async () => {
  let isHostile: (uid: number) => boolean = () => false
  const bytesLeft = (uid: number) => {
    if (isHostile(uid)) throw new TypeError('unexpected failure')
    return UNCOUNTED.bytesLeft(uid)
  }
  const one = await startBackfillWorld({ coldStarts: () => ({ ...UNCOUNTED, bytesLeft }) })
  world = one
  const [member, bad, good] = [
    await one.person('member'),
    await one.person('bad'),
    await one.person('good'),
  ]
  for (const author of [bad, good]) {
    one.post(author)
    one.follow(member, author)
  }
  isHostile = (uid) => uid === one.uid(bad)
  one.member(member)
  one.backfill.start()
  const postsOf = one.db
    .prepare<[number], number>('SELECT count(*) FROM posts WHERE uid = ?')
    .pluck()
  const failed = one.db
    .prepare<[number], string>("SELECT last_error FROM jobs WHERE subject = ? AND kind = 'feed'")
    .pluck()
  await until(() => postsOf.get(one.uid(good)) === 1)
  await until(() => Boolean(failed.get(one.uid(bad))))
  expect(failed.get(one.uid(bad))).toBe('unforeseen: unexpected failure')
  expect(postsOf.get(one.uid(bad))).toBe(0)
})
