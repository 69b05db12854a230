// What is given up first when the disk is short: members that came only once, and the data that only they
// brought.

import { afterEach, expect, test } from 'vitest'
import { HOUR_MS } from '../../../../src/base/util/durations.ts'
import { fileSize } from '../../../../src/data/store/files/file-size.ts'
import { memberSeen } from '../../../../src/ingest/indexing/members/members.ts'
import { sweepCandidates } from '../../../../src/ingest/indexing/retention/sweep-candidates.ts'
import { createDiskGuard } from '../../../../src/ingest/upkeep/disk/disk-guard.ts'
import { createOnceOnly } from '../../../../src/ingest/upkeep/disk/once-only.ts'
import { createBoundedDatabase } from '../../../support/bounded-database.ts'
import { createWorld, type World } from '../../../support/world.ts'

const CAP_MB = 4

let world: World
afterEach(() => world.dispose())

function startGuard() {
  const { diskSpace } = createBoundedDatabase()
  const log = { info() {}, warn() {} }
  const shared = { db: world.db, writer: world.writer, diskSpace, now: world.now, log }
  const onceOnly = createOnceOnly({
    ...shared,
    namedMembers: () => [world.account('named')],
  })
  return createDiskGuard({
    ...shared,
    onceOnly,
    searchedPosts: 1_000,
    dataDir: world.dataDir,
    settings: { diskCapMb: CAP_MB, diskReserveMb: 0, keepStrangersDays: 0, keepNeighboursDays: 0 },
  })
}

/** Fills the database to slightly above the level at which disk space is tight. */
function fillUp(): void {
  const { live } = fileSize(world.db)
  world.db.exec('CREATE TABLE weight (bytes)')
  const bytes = Math.floor(0.94 * CAP_MB * 1_000_000) - live
  world.db.prepare('INSERT INTO weight VALUES (zeroblob(?))').run(bytes)
}

function seeAgain(...names: string[]): void {
  for (const name of names) world.run((ctx) => memberSeen(ctx, world.account(name)))
}

function settle(): void {
  for (let isLeft = true; isLeft; ) {
    world.run((ctx) => {
      isLeft = sweepCandidates(ctx, 100)
    })
  }
}

const postsBy = (name: string) =>
  world.db
    .prepare('SELECT count(*) FROM posts WHERE uid = ? AND state = 1')
    .pluck()
    .get(world.uid(world.account(name)))

const members = () =>
  world.db
    .prepare<[], string>('SELECT did FROM members JOIN actors USING (uid) ORDER BY did')
    .pluck()
    .all()

const dids = (...names: string[]) => names.map((name) => world.account(name)).sort()

test('drops members that came once before anything else, with the authors that only they follow', () => {
  world = createWorld({ members: ['junk', 'regular', 'named'] })
  const follows = [
    ['junk', 'theirs'],
    ['junk', 'shared'],
    ['regular', 'shared'],
  ] as const
  for (const [member, author] of follows) world.follow(world.account(member), world.account(author))
  for (const author of ['theirs', 'shared']) {
    for (let i = 0; i < 5; i++) world.post(world.account(author), `post ${i}`)
  }
  world.tick(2 * HOUR_MS)
  seeAgain('regular')
  world.member(world.account('newcomer'))
  fillUp()

  const guard = startGuard()
  expect(guard.look().state).toBe('ok')
  expect(members()).toEqual(dids('regular', 'named', 'newcomer'))
  expect(guard.look().state).toBe('ok')
  settle()
  expect(postsBy('theirs')).toBe(0)
  expect(postsBy('shared')).toBe(5)
  expect(guard.look().state).toBe('without-search')
  expect(members()).toHaveLength(3)
})

test('drops no members while there is room, and takes the next step if dropping takes too long', () => {
  world = createWorld({ members: ['junk', 'second'] })
  world.tick(2 * HOUR_MS)
  const guard = startGuard()
  guard.look()
  expect(members()).toHaveLength(2)
  fillUp()
  expect(guard.look().state).toBe('ok')
  expect(members()).toEqual([])
  // The data that they leave behind is not settled yet.
  world.tick(11 * 60_000)
  expect(guard.look().state).toBe('without-search')
})
