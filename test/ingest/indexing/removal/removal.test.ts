// The deletion of an account with thousands of records: it is hidden at once, and removed slice by slice
// while the stream continues and the process restarts. In the end the index equals one that never saw the
// account.

import type { StreamEvent } from '@slipstream/jetstream'
import { afterEach, expect, test } from 'vitest'
import { HIDDEN } from '../../../../src/data/graph/types.ts'
import { membersDeletedBefore } from '../../../../src/data/store/members/members.ts'
import { nextRemoval } from '../../../../src/data/store/removal/removals.ts'
import { forgetPrivateState } from '../../../../src/ingest/indexing/members/private-state-removal.ts'
import { removeSlice } from '../../../../src/ingest/indexing/removal/removal-slices.ts'
import { createDiskSpace } from '../../../../src/ingest/upkeep/disk/disk-space.ts'
import { startRemoving } from '../../../../src/ingest/upkeep/removing.ts'
import { canonicalRows } from '../../../support/canonical-rows.ts'
import { until } from '../../../support/eventually.ts'
import { createRandom } from '../../../support/random.ts'
import { randomHistory } from '../../../support/random-history.ts'
import { testSeed } from '../../../support/seed.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'

const worlds: World[] = []

afterEach(() => {
  for (const world of worlds.splice(0)) world.dispose()
})

function start(): World {
  const world = createWorld({ scope: 'network', members: ['reader'] })
  worlds.push(world)
  return world
}

/** Posts, likes of others' posts, reposts, follows, blocks and a list with many members. */
function prolific(world: World, did: string, others: string[], posts: RecordId[]): StreamEvent[] {
  return world.hold(() => {
    const list = world.list(did, 'many')
    for (let i = 0; i < 900; i++) {
      world.post(did, i % 3 === 0 ? { reply: { parent: posts[i % posts.length]! } } : {})
      if (i % 2 === 0) world.like(did, posts[i % posts.length]!)
      if (i % 4 === 0) world.repost(did, posts[(i * 7) % posts.length]!)
      if (i % 5 === 0) world.follow(did, others[i % others.length]!)
      if (i % 9 === 0) world.block(did, others[(i * 3) % others.length]!)
      if (i % 6 === 0) world.listItem(did, list, others[(i * 5) % others.length]!)
    }
  })
}

const counted = (world: World, table: string) =>
  world.db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()!

test('an account with thousands of records is hidden at once and removed in slices', () => {
  const random = createRandom(testSeed('removal'))
  const [world, oracle] = [start(), start()]
  const reader = world.account('reader')
  const did = world.account('prolific')
  const others = Array.from({ length: 9 }, (_, i) => world.account(`person-${i}`))
  // The same accounts with or without the deleted one, so that nothing else differs.
  const rest = (events: StreamEvent[]) => oracle.apply(events.filter((event) => event.did !== did))
  const posts: RecordId[] = []
  const before = world.hold(() => {
    world.follow(reader, did)
    for (const other of others) posts.push(world.post(other), world.post(other))
  })
  const all = [...before, ...prolific(world, did, others, posts)]
  world.apply(all)
  rest(all)
  const later = randomHistory(world, random, 300).filter(({ kind }) => kind === 'commit')
  expect(world.timelineItems(reader).length).toBeGreaterThan(900)
  const deletion = world.hold(() => world.status(did, 'deleted'))
  world.apply(deletion)
  const uid = world.uid(did)
  expect(world.actors.flagsOf(uid) & HIDDEN).toBe(HIDDEN)
  expect(world.timelineItems(reader)).toEqual([])
  let slices = 1
  for (let at = 0; nextRemoval(world.db) !== undefined; at += 20, slices++) {
    const present = counted(world, 'posts WHERE state = 1')
    world.run((ctx) => void removeSlice(ctx, uid))
    const taken = present - counted(world, 'posts WHERE state = 1')
    expect(taken).toBeLessThanOrEqual(500)
    world.apply(later.slice(at, at + 20))
    // Further events of the deleted account are ignored.
    world.apply(world.hold(() => void world.post(did)))
    if (slices === 2) world.restart()
  }
  expect(slices).toBeGreaterThan(3)
  world.apply(later.slice((slices - 1) * 20))
  rest(later)
  const { away, ...rows } = canonicalRows(world.db)
  const { away: _, ...expected } = canonicalRows(oracle.db)
  expect(away).toEqual([expect.stringContaining(did)])
  expect(rows).toEqual(expected)
  expect(world.graph.followsCount(uid)).toBe(0)
})

test('the remaining records are removed in the background, also after a restart', async () => {
  const world = start()
  const did = world.account('prolific')
  const other = world.account('person-0')
  const posts: RecordId[] = []
  world.apply(world.hold(() => void posts.push(world.post(other))))
  world.apply(prolific(world, did, [other], posts))
  world.apply(world.hold(() => world.status(did, 'deleted')))
  world.restart()
  const removing = startRemoving({
    db: world.db,
    writer: world.writer,
    now: () => world.now(),
    log: { info: () => undefined },
    diskSpace: createDiskSpace({ error: () => undefined, info: () => undefined }),
  })
  await until(() => nextRemoval(world.db) === undefined)
  removing.stop()
  expect(canonicalRows(world.db)['posts']).toHaveLength(1)
})

test('an account that returns during its removal has no old records, and keeps its new ones', () => {
  const world = start()
  const did = world.account('prolific')
  const other = world.account('person-0')
  const posts: RecordId[] = []
  world.apply(world.hold(() => void posts.push(world.post(other))))
  world.apply(prolific(world, did, [other], posts))
  world.apply(world.hold(() => world.status(did, 'deleted')))
  expect(nextRemoval(world.db)).toBe(world.uid(did))
  world.apply(world.hold(() => world.status(did)))
  world.apply(world.hold(() => void world.post(did)))
  expect(nextRemoval(world.db)).toBeUndefined()
  const rows = canonicalRows(world.db)
  expect(rows['posts']!.filter((row) => row.startsWith(did))).toHaveLength(1)
  expect([...rows['likes']!, ...rows['follows']!, ...rows['list_items']!]).toEqual([])
})

test('a deleted member’s private data is removed after a long time, and no sooner', () => {
  const world = start()
  const [reader, other] = [world.account('reader'), world.account('person-0')]
  const post = world.post(other)
  world.mute(reader, other)
  const mine = { id: 1, did: reader }
  world.request({ ...mine, kind: 'bookmark', uri: post.uri, cid: post.cid })
  world.request({ ...mine, kind: 'actor-preferences', preferences: '[]' })
  world.status(reader, 'deleted')
  const uid = world.uid(reader)
  const deletedUs = world.now() * 1000
  expect(membersDeletedBefore(world.db, deletedUs - 1000)).toEqual([])
  for (const table of ['mutes', 'bookmarks', 'preferences']) {
    expect([table, counted(world, table)]).toEqual([table, 1])
  }
  expect(membersDeletedBefore(world.db, deletedUs + 1000)).toEqual([{ uid, did: reader }])
  world.run((ctx) => forgetPrivateState(ctx, uid))
  for (const table of ['mutes', 'bookmarks', 'preferences', 'members']) {
    expect([table, counted(world, table)]).toEqual([table, 0])
  }
  expect(counted(world, 'post_counts WHERE bookmarks > 0')).toBe(0)
})

test('a deleted account’s names are dropped, and looked up again when it returns', () => {
  const world = start()
  const did = world.account('prolific')
  world.profile(did)
  world.handle(did, 'prolific.test')
  const uid = world.uid(did)
  const row = () =>
    world.db.prepare('SELECT handle, pds, handle_valid FROM actors WHERE uid = ?').get(uid)
  const lookUps = () => counted(world, `jobs WHERE kind = 'identity' AND subject = ${uid}`)
  world.status(did, 'deactivated')
  expect(row()).toMatchObject({ handle: 'prolific.test' })
  world.status(did, 'deleted')
  expect(nextRemoval(world.db)).toBeUndefined()
  expect(row()).toEqual({ handle: null, pds: null, handle_valid: 0 })
  expect(lookUps()).toBe(0)
  world.status(did)
  expect(lookUps()).toBe(1)
})
