// Reading positions of members that came only once, when the disk is short.

import { expect, onTestFinished, test } from 'vitest'
import { HOUR_MS } from '../../../../src/base/util/durations.ts'
import { fileSize } from '../../../../src/data/store/files/file-size.ts'
import { storeCursor } from '../../../../src/features/timelines/store/timeline-cursors.ts'
import { sweepCandidates } from '../../../../src/ingest/indexing/retention/sweep-candidates.ts'
import { createDiskGuard } from '../../../../src/ingest/upkeep/disk/disk-guard.ts'
import { createOnceOnly } from '../../../../src/ingest/upkeep/disk/once-only.ts'
import { createBoundedDatabase } from '../../../support/bounded-database.ts'
import { createWorld, type World } from '../../../support/world.ts'

const CAP_MB = 4
const settings = {
  diskCapMb: CAP_MB,
  diskReserveMb: 0,
  keepStrangersDays: 0,
  keepNeighboursDays: 0,
}

/** Looks at a disk that is slightly above the level at which space is tight. */
function lookWhileTight(world: World): void {
  const { live } = fileSize(world.db)
  world.db.exec('CREATE TABLE weight (bytes)')
  const bytes = Math.floor(0.94 * CAP_MB * 1_000_000) - live
  world.db.prepare('INSERT INTO weight VALUES (zeroblob(?))').run(bytes)
  const { diskSpace } = createBoundedDatabase()
  const log = { info() {}, warn() {} }
  const { db, writer, now, dataDir } = world
  const shared = { db, writer, diskSpace, now, log }
  const onceOnly = createOnceOnly({ ...shared, namedMembers: () => [] })
  createDiskGuard({ ...shared, onceOnly, searchedPosts: 1_000, dataDir, settings }).look()
}

test('stored reading positions save no seat, and go with it', () => {
  const world = createWorld({ members: ['junk'] })
  onTestFinished(() => world.dispose())
  const uid = world.uid(world.account('junk'))
  const position = { isForward: true, at: [1] }
  world.run(({ db, now }) =>
    storeCursor(db, { uid, token: '' }, { timeline: 'custom:a', position, now }),
  )
  world.tick(2 * HOUR_MS)
  lookWhileTight(world)
  for (let isLeft = true; isLeft; ) {
    world.run((ctx) => {
      isLeft = sweepCandidates(ctx, 100)
    })
  }
  const count = (table: string) => world.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  expect(count('members')).toBe(0)
  expect(count('timeline_cursors')).toBe(0)
})
