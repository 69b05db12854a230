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
  const item = await startBackfillWorld({ coldStarts: () => ({ ...UNCOUNTED, bytesLeft }) })
  world = item
  const [member, bad, good] = [
    await item.person('member'),
    await item.person('bad'),
    await item.person('good'),
  ]
  for (const author of [bad, good]) {
    item.post(author)
    item.follow(member, author)
  }
  isHostile = (uid) => uid === item.uid(bad)
  item.member(member)
  item.backfill.start()
  const postsOf = item.db
    .prepare<[number], number>('SELECT count(*) FROM posts WHERE uid = ?')
    .pluck()
  const failed = item.db
    .prepare<[number], string>("SELECT last_error FROM jobs WHERE subject = ? AND kind = 'feed'")
    .pluck()
  await until(() => postsOf.get(item.uid(good)) === 1)
  await until(() => Boolean(failed.get(item.uid(bad))))
  expect(failed.get(item.uid(bad))).toBe('unforeseen: unexpected failure')
  expect(postsOf.get(item.uid(bad))).toBe(0)
})
