// Blocks by accounts that nobody here follows: made before anything of theirs was here, so they are read once a post
// of theirs is, and again for members who join later.

import { afterEach, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/base/util/durations.ts'
import { blockEdges } from '../../../src/data/store/edges/all-edges.ts'
import { fetchMissing } from '../../../src/ingest/indexing/fetch-missing.ts'
import { type BackfillWorld, refOf, startBackfillWorld } from '../../support/backfill-world.ts'
import type { PdsAccount } from '../../support/pds-double.ts'

let world: BackfillWorld

afterEach(() => world.close())

const blockedBy = (account: PdsAccount) => blockEdges.subjectsOf(world.db, world.uid(account))

/** A member's friend quotes a stranger's post. */
async function quoted(member: PdsAccount, stranger: PdsAccount): Promise<void> {
  const friend = await world.person(`friend-of-${member.handle.split('.')[0]}`)
  world.follow(member, friend)
  const post = world.post(stranger, 'what a friend quotes')
  const embed = { $type: 'app.bsky.embed.record', record: refOf(post) }
  world.post(friend, 'look', { record: { embed } })
  world.member(member)
  world.backfill.start()
  await world.settled()
}

it('are in force for whom they concern, once a post of the stranger is quoted', async () => {
  world = await startBackfillWorld()
  const [member, other] = [await world.person('member'), await world.person('other')]
  const stranger = await world.person('stranger')
  world.block(stranger, member)
  world.block(stranger, other)
  await quoted(member, stranger)
  expect(blockedBy(stranger)).toEqual([world.uid(member)])
})

it('are not asked for one by one, nor of an account without any, nor twice', async () => {
  world = await startBackfillWorld()
  const [member, stranger] = [await world.person('member'), await world.person('stranger')]
  const asked: string[] = []
  world.hosts[0]!.onRequest(({ method, query }) => {
    const collection = query['collection'] ?? ''
    if (query['repo'] === stranger.did && !/profile|post|gate|Declaration/.test(collection))
      asked.push(`${method.split('.').at(-1)} ${collection}`)
  })
  await quoted(member, stranger)
  expect(asked).toEqual(['describeRepo '])
  world.block(stranger, member)
  await world.restart()
  const again = world.post(stranger, 'again')
  world.live(again)
  await world.settled()
  expect(asked).toEqual(['describeRepo '])
})

it('are read when a member opens the stranger’s page', async () => {
  world = await startBackfillWorld()
  const [member, stranger] = [await world.person('member'), await world.person('stranger')]
  world.block(stranger, member)
  world.post(stranger, 'on the page')
  world.member(member)
  world.backfill.start()
  await world.settled()
  const uris = [`at://${stranger.did}/app.bsky.feed.post`]
  world.writer.commit((ctx) => fetchMissing(ctx, { did: member.did, uris, dids: [] }))
  world.backfill.wake()
  await world.settled()
  expect(blockedBy(stranger)).toEqual([world.uid(member)])
})

it('are read again for whom joins later, at most once a day', async () => {
  let laterMs = 0
  world = await startBackfillWorld({ now: () => Date.now() + laterMs })
  const [first, second] = [await world.person('first'), await world.person('second')]
  const stranger = await world.person('stranger')
  world.block(stranger, first)
  world.block(stranger, second)
  await quoted(first, stranger)
  expect(blockedBy(stranger)).toEqual([world.uid(first)])
  laterMs = 2 * DAY_MS
  await quoted(second, stranger)
  expect(blockedBy(stranger)).toEqual([world.uid(first), world.uid(second)])
})
