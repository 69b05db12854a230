// The post search index, dropped for want of space, is rebuilt once there is space, by whichever process then
// runs. Space is detected even if little is free and no writer tries.

import { afterEach, expect, test } from 'vitest'
import { indexedPosts } from '../../../../src/data/store/search/post-index.ts'
import { createDiskGuard } from '../../../../src/ingest/upkeep/disk/disk-guard.ts'
import { createBoundedDatabase } from '../../../support/bounded-database.ts'
import { searchable } from '../../../support/searching.ts'
import { createWorld, type World } from '../../../support/world.ts'

const CAP_MB = 1
const POSTS = 50

let world: World
afterEach(() => world.dispose())

function startGuard(bounded: ReturnType<typeof createBoundedDatabase>, diskCapMb: number) {
  return createDiskGuard({
    db: world.db,
    writer: world.writer,
    diskSpace: bounded.diskSpace,
    now: Date.now,
    searchedPosts: 1_000,
    dataDir: world.dataDir,
    log: { info() {}, warn() {} },
    settings: { diskCapMb, diskReserveMb: 0, keepStrangersDays: 0, keepNeighboursDays: 0 },
  })
}

test('search is dropped once there is room to do so, and comes back after a restart', () => {
  world = createWorld({ scope: 'network' })
  for (let i = 0; i < POSTS; i++)
    world.post(world.account(`writer-${i % 5}`), { text: `words ${i}` })
  searchable(world)
  expect(indexedPosts(world.db)).toBe(POSTS)

  const bounded = createBoundedDatabase()
  world.db.exec('CREATE TABLE weight (bytes)')
  world.db.prepare('INSERT INTO weight VALUES (zeroblob(?))').run(CAP_MB * 1_000_000)
  const tight = startGuard(bounded, CAP_MB)
  expect(tight.look().state).not.toBe('ok')
  tight.look()
  expect(indexedPosts(world.db)).toBe(0)
  expect(tight.searchedPosts()).toBe(0)

  bounded.free(world.db)
  const later = startGuard(bounded, 0)
  expect(later.look().state).toBe('ok')
  searchable(world)
  expect(indexedPosts(world.db)).toBe(POSTS)
  // Only once.
  later.look()
  expect(world.db.prepare('SELECT * FROM search_backlog').all()).toEqual([])
})

test('detects room by trying, where the free space reported is too small to tell', async () => {
  world = createWorld()
  const bounded = createBoundedDatabase()
  world.db.exec('CREATE TABLE weight (bytes)')
  world.db.prepare('INSERT INTO weight VALUES (zeroblob(?))').run(CAP_MB * 1_000_000)
  // Its cap is reached, so there never appears to be room.
  const guard = startGuard(bounded, CAP_MB)
  expect(() => bounded.diskSpace.attempt(() => fillUp())).toThrow('full')
  expect(guard.look().state).toBe('full')
  const goesOn = bounded.diskSpace.untilSpace()
  const later = startGuard(bounded, CAP_MB)
  world.db.pragma('max_page_count = 1000000')
  expect(later.look().state).not.toBe('full')
  await goesOn
})

function fillUp(): void {
  world.db.prepare('INSERT INTO weight VALUES (zeroblob(?))').run(4_000_000)
}
