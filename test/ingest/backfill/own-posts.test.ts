// A member's PDS adds posts to our answers that are newer than the rev we send (read-after-write). That rev
// must match the rows exactly, also while the repository is being listed.

import { afterEach, expect, it } from 'vitest'
import { unpackRkey } from '../../../src/base/atproto/keys.ts'
import { type BackfillWorld, startBackfillWorld } from '../../support/backfill-world.ts'
import { arroba, cocoon } from '../../support/foreign-pds.ts'
import type { Commit } from '../../support/simulated-network/repository.ts'

let world: BackfillWorld

afterEach(() => world.close())

const keys = () =>
  world.db
    .prepare<[], Buffer | string>('SELECT rkey FROM posts WHERE state = 1')
    .pluck()
    .all()
    .map(unpackRkey)
const revOf = (uid: number) =>
  world.db.prepare('SELECT rev FROM actors WHERE uid = ?').pluck().get(uid)

it('posts written during a listing wait for the stream, and the rev reflects that', async () => {
  world = await startBackfillWorld({ scope: 'authors' })
  const member = await world.person('member')
  const settled = [1, 2, 3].map((i) => world.post(member, `post ${i}`))
  const fresh: Commit[] = []
  world.hosts[0]!.onRequest(({ method, query }) => {
    if (method.endsWith('listRecords') && query['collection'] === 'app.bsky.feed.post') {
      fresh.push(world.post(member, 'just now', { atMs: Date.now() }))
    }
  })
  world.member(member)
  world.backfill.start()
  await world.settled()
  // The repository was listed more than once: posts fresh in the first pass were not in the next.
  const rev = revOf(world.uid(member)) as string
  const written = [...settled, ...fresh]
  const upToRev = written.filter((commit) => commit.rev <= rev).map(({ rkey }) => rkey)
  expect(upToRev.length).toBeGreaterThanOrEqual(settled.length)
  expect(upToRev.length).toBeLessThan(written.length)
  expect(keys().sort()).toEqual(upToRev.sort())

  world.live(...fresh)
  expect(keys()).toHaveLength(written.length)
  expect(revOf(world.uid(member))).toBe(fresh.at(-1)!.rev)
})

it('keys that encode no write time are listed like any other', async () => {
  world = await startBackfillWorld({ scope: 'authors' })
  const member = await world.person('member')
  const record = { $type: 'app.bsky.feed.post', text: 'by hand', createdAt: '2026-01-01T00:00:00Z' }
  for (const rkey of ['zz-top', '7zzzzzzzzzzzz', '2222222222222']) {
    const value = { ...record }
    member.put({ collection: 'app.bsky.feed.post', rkey, value, atMs: Date.now() - 60_000 })
  }
  world.member(member)
  world.backfill.start()
  await world.settled()
  expect(keys().sort()).toEqual(['2222222222222', '7zzzzzzzzzzzz', 'zz-top'])
})

it.each([
  ['arroba, whose revisions are of 1970', arroba()],
  ['arroba without getRepo', arroba({ hasNoFile: true })],
  ['cocoon', cocoon],
])('all posts of a member on %s are read', async (_, software) => {
  world = await startBackfillWorld({ scope: 'authors' })
  world.hosts[0]!.runs(software)
  const member = await world.person('member')
  const written = Array.from({ length: 150 }, (_, i) => world.post(member, `post ${i}`).rkey)
  world.member(member)
  world.backfill.start()
  await world.settled()
  expect(keys().sort()).toEqual(written)
})
