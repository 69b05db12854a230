// The timeline's skeleton over the real graph, account table and rings, with directly written rows.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFollowGraph, createTimelines } from '@slipstream/follow-graph'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTimelineSkeleton } from '../../../src/answers/skeleton/timeline.ts'
import { packCid, packRkey } from '../../../src/base/atproto/keys.ts'
import { createActorTable } from '../../../src/data/graph/actor-table.ts'
import { createIsDrawn, drawByHash } from '../../../src/data/graph/lossiness.ts'
import { CELEBRITY, HIDDEN } from '../../../src/data/graph/types.ts'
import { openWriter, type WriteDb } from '../../../src/data/store/db.ts'
import { followEdges } from '../../../src/data/store/edges/all-edges.ts'
import { prepareItemDraw } from '../../../src/data/store/read/timelines/item-draw.ts'
import { createMergedFeed } from '../../../src/data/store/timelines/merged-feed.ts'
import { openTimeline } from '../../../src/ingest/indexing/memory/open-timeline.ts'
import { type ModelItem, modelPages } from '../../support/feed-model.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { cidOf, didOf, tidAt } from '../../support/records.ts'
import { testSeed } from '../../support/seed.ts'

let folder: string
let db: WriteDb
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipstream-skeleton-'))
  db = openWriter(folder)
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true, force: true })
})

const VIEWER = 1
const START_MS = 1_790_000_000_000

function build(options: { accounts: number; timelineLength: number; limit: number }) {
  const actors = createActorTable()
  const graph = createFollowGraph()
  const timelines = createTimelines(options.timelineLength)
  const isHashDrawn = createIsDrawn({ graph, limit: options.limit, draw: drawByHash(actors) })
  for (let i = 1; i <= options.accounts; i++) {
    const uid = actors.intern(didOf(`account ${i}`))
    if (uid === VIEWER) continue
    graph.add(VIEWER, uid)
    const rkey = packRkey(tidAt(uid))
    followEdges.insert(db, { uid: VIEWER, rkey, subject: uid, sortAt: 1, createdAt: 1 })
  }
  const memory = {
    actors,
    graph,
    timelines,
    isHashDrawn,
    fanOut: () => 0,
    celebrityThreshold: 10_000,
    timelineLength: options.timelineLength,
  }
  const draw = prepareItemDraw(db, actors)
  const isDrawn = createIsDrawn({ graph, limit: options.limit, draw })
  const parts = { ...memory, isDrawn, feed: createMergedFeed(db) }
  const read = createTimelineSkeleton(parts)
  return { ...memory, keeps: isDrawn, read, open: () => openTimeline(db, memory, VIEWER, START_MS) }
}

function fill(random: Random, size: { items: number; accounts: number; times: number }) {
  const items: ModelItem[] = []
  const post = db.prepare(
    'INSERT INTO posts (uid, rkey, state, cid, sort_at) VALUES (?, ?, 1, ?, ?)',
  )
  db.transaction(() => {
    for (let i = 0; i < size.items; i++) {
      const uid = random.chance(0.05) ? VIEWER : 1 + random.below(size.accounts)
      const sortAt = START_MS - random.below(size.times)
      const cid = cidOf(i)
      const { lastInsertRowid } = post.run(uid, packRkey(tidAt(i)), packCid(cid), sortAt)
      items.push({ key: String(Number(lastInsertRowid) * 2), originator: String(uid), sortAt, cid })
    }
  })()
  return items
}

function pagesOf(read: ReturnType<typeof build>['read'], limit: number): string[][] {
  const pages: string[][] = []
  for (let cursor: string | undefined; ; ) {
    const page = read({ viewer: VIEWER, limit, cursor, since: undefined })
    if (page.items.length > 0) pages.push(page.items.map(String))
    if (page.cursor === undefined) return pages
    expect(page.cursor).not.toBe(cursor)
    cursor = page.cursor
  }
}

describe.each([
  ['few distinct times, so that ties span every page boundary', 90],
  ['many distinct times', 1_000_000],
])('%s', (_name, times) => {
  test.each([1, 2, 60, 5_000])('a ring of %d gives the reference’s pages', (timelineLength) => {
    const random = createRandom(testSeed('timeline skeleton'))
    const accounts = 30
    const world = build({ accounts, timelineLength, limit: 2000 })
    const items = fill(random, { items: 700, accounts, times })
    for (const uid of [4, 9]) world.actors.setFlags(uid, CELEBRITY)
    world.actors.setFlags(7, HIDDEN)
    world.open()
    const visible = items.filter(({ originator }) => originator !== '7')
    const own = visible.filter(({ originator }) => originator === String(VIEWER))
    const followed = visible.filter(({ originator }) => originator !== String(VIEWER))
    // The ring may hold items of accounts that were hidden later; presenting drops those.
    const isVisible = (key: string) => visible.some((item) => item.key === key)

    for (const limit of [1, 9, 50, 100]) {
      const pages = pagesOf(world.read, limit)
      const complete = pages.flat().filter(isVisible)
      expect(new Set(complete).size).toBe(complete.length)
      if (pages.flat().every(isVisible)) {
        expect(pages).toEqual(modelPages({ followed, own, limit }))
      } else {
        const skipped = followed.filter(({ key }) => !complete.includes(key))
        expect(skipped).toEqual([])
      }
    }
  })
})

test('above the limit the share kept is the same in the ring, below it, and without it', () => {
  const random = createRandom(testSeed('timeline skeleton, lossy'))
  const accounts = 200
  const fromRing = build({ accounts, timelineLength: 100, limit: 50 })
  const items = fill(random, { items: 4_000, accounts, times: 100_000 })
  const closed = pagesOf(fromRing.read, 60).flat()
  fromRing.open()
  const open = pagesOf(fromRing.read, 60).flat()

  expect(open).toEqual(closed)
  const followed = items.filter(({ originator }) => originator !== String(VIEWER))
  const retained = new Set(open)
  const share = followed.filter(({ key }) => retained.has(key)).length / followed.length
  // 50 of 199, a quarter; the standard deviation over this many items is below 0.008.
  expect(Math.abs(share - 50 / 199)).toBeLessThan(0.04)
})

test('a page that leaves out some follows says so, and one from the ring has no need to', () => {
  const many = 110_000
  const world = build({ accounts: 30, timelineLength: 20, limit: 1_000_000 })
  fill(createRandom(3), { items: 400, accounts: 30, times: 100_000 })
  for (let uid = 31; uid <= many; uid++) {
    world.actors.intern(didOf(`account ${uid}`))
    world.graph.add(VIEWER, uid)
  }
  const read = (cursor: string | undefined) =>
    world.read({ viewer: VIEWER, limit: 10, cursor, since: undefined })
  const alone = read(undefined)
  expect(alone.followsLeftOut).toBeGreaterThan(0)
  expect(alone.followsLeftOut).toBeLessThan(many - 100_000)

  world.open()
  const first = read(undefined)
  expect(first.followsLeftOut).toBeUndefined()
  const pages = [first]
  while (pages.at(-1)!.cursor !== undefined) pages.push(read(pages.at(-1)!.cursor))
  expect(pages.at(-1)!.followsLeftOut).toBe(alone.followsLeftOut)
})

test('the timeline without a viewer is empty, and so is one whose follows are hidden', () => {
  const world = build({ accounts: 3, timelineLength: 10, limit: 2000 })
  fill(createRandom(1), { items: 50, accounts: 3, times: 1000 })
  world.actors.setFlags(2, HIDDEN)
  world.actors.setFlags(3, HIDDEN)
  const empty = { items: [], cursor: undefined }

  expect(
    world.read({ viewer: 2, limit: 1, cursor: undefined, since: undefined }).items,
  ).toHaveLength(1)
  expect(world.read({ viewer: 99, limit: 5, cursor: undefined, since: undefined })).toEqual(empty)
})
