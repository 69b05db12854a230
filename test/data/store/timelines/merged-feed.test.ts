import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { packCid, packRkey } from '../../../../src/base/atproto/keys.ts'
import { openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import { CachedHeads } from '../../../../src/data/store/timelines/cached-heads.ts'
import { createMergedFeed, type FeedRow } from '../../../../src/data/store/timelines/merged-feed.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { cidOf, tidAt } from '../../../support/records.ts'
import { testSeed } from '../../../support/seed.ts'

let folder: string
let db: WriteDb
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipstream-merged-'))
  db = openWriter(folder)
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true, force: true })
})

const insertPost = () =>
  db.prepare('INSERT INTO posts (uid, rkey, state, cid, sort_at) VALUES (?, ?, ?, ?, ?)')
const insertRepost = () =>
  db.prepare(
    `INSERT INTO reposts (uid, rkey, subject, cid, created_at, indexed_at, sort_at)
    VALUES (?, ?, 1, ?, 1, 1, ?)`,
  )

/** Inserts posts (some deleted) and reposts of a few accounts, with many ties. */
function fill(random: Random, size: { items: number; times: number }): FeedRow[] {
  const rows: FeedRow[] = []
  const [posts, reposts] = [insertPost(), insertRepost()]
  for (let i = 0; i < size.items; i++) {
    const [originator, sortAt] = [1 + random.zipf(12), random.below(size.times)]
    const [rkey, cid] = [packRkey(tidAt(i * 1000)), packCid(cidOf(i))]
    if (random.chance(0.3)) {
      const { lastInsertRowid } = reposts.run(originator, rkey, cid, sortAt)
      rows.push({ originator, sortAt, item: Number(lastInsertRowid) * 2 + 1 })
    } else {
      const state = random.chance(0.9) ? 1 : 2
      const { lastInsertRowid } = posts.run(originator, rkey, state, cid, sortAt)
      if (state === 1) rows.push({ originator, sortAt, item: Number(lastInsertRowid) * 2 })
    }
  }
  return rows
}

const byPosition = (a: FeedRow, b: FeedRow) => b.sortAt - a.sortAt || b.item - a.item

test('posts of one moment cost a page a bounded number of rows, however many accounts have them', () => {
  const posts = insertPost()
  db.exec('BEGIN')
  for (let i = 0; i < 20_000; i++) {
    const times = i < 50 ? 2_000 + i : 1_000
    posts.run(1 + (i % 50), packRkey(tidAt(i)), 1, packCid(cidOf(i)), times)
  }
  db.exec('COMMIT')
  const originators = Array.from({ length: 50 }, (_, i) => i + 1)
  const feed = createMergedFeed(db)
  for (const limit of [20, 60, 100]) {
    const { rows } = feed.newest({ originators, until: 5_000, limit })
    expect(rows.length).toBeGreaterThanOrEqual(limit)
    expect(rows.length).toBeLessThan(2_100)
    expect(rows.slice(0, 20).map(({ sortAt }) => sortAt)).toEqual(
      Array.from({ length: 20 }, (_, i) => 2_049 - i),
    )
  }
})

test('heads that were read some at a time lead to the same pages, also to later ones', () => {
  const random = createRandom(testSeed('merged feed heads'))
  fill(random, { items: 2_000, times: 400 })
  const feed = createMergedFeed(db)
  const originators = Array.from({ length: 14 }, (_, i) => i + 1)
  const reading = feed.heads(originators, 300)
  let read = reading.next()
  while (!read.done) read = reading.next()
  for (const until of [300, 299, 200, 17]) {
    for (const postsOnly of [true, false]) {
      const options = { until, limit: 30, postsOnly }
      const byHeads = feed.newest({ ...options, originators: read.value })
      const plain = feed.newest({ ...options, originators })
      expect(byHeads.floor).toBe(plain.floor)
      expect(byHeads.rows.sort(byPosition)).toEqual(plain.rows.sort(byPosition))
    }
  }
})

test('returns the newest items of the given accounts, complete down to its floor', () => {
  const random = createRandom(testSeed('merged feed'))
  const all = fill(random, { items: 3_000, times: 400 })
  // Rows cached for one page serve the others.
  const feeds = [createMergedFeed(db), createMergedFeed(db, new CachedHeads())]

  for (let turn = 0; turn < 400; turn++) {
    const originators = Array.from({ length: 14 }, (_, i) => i + 1).filter(() => random.chance(0.5))
    const until = random.below(450)
    const since = random.chance(0.3) ? random.below(400) : undefined
    const limit = 1 + random.below(150)
    const divisor = 1 + random.below(3)
    const isWanted = (item: number) => item % divisor === 0
    const wanted = all
      .filter((row) => originators.includes(row.originator) && isWanted(row.item))
      .filter(({ sortAt }) => sortAt <= until && sortAt >= (since ?? -Infinity))
      .sort(byPosition)

    const feed = feeds[turn % 2]!
    const { rows, floor } = feed.newest({ originators, until, since, limit, isWanted })

    const complete = rows.filter(({ sortAt }) => sortAt >= floor).sort(byPosition)
    expect(complete).toEqual(wanted.filter(({ sortAt }) => sortAt >= floor))
    expect(rows.map(({ sortAt }) => sortAt)).toEqual(
      rows.map(({ sortAt }) => sortAt).sort((a, b) => b - a),
    )
    if (wanted.length >= limit) expect(rows.length).toBeGreaterThanOrEqual(limit)
    else expect(floor).toBe(-Infinity)
  }
})

test('an account with all items at one moment does not hide older items', () => {
  const posts = insertPost()
  db.transaction(() => {
    for (let i = 0; i < 3_000; i++) posts.run(1, packRkey(tidAt(i)), 1, packCid(cidOf(i)), 500)
    posts.run(1, 'older', 1, packCid(cidOf('older')), 400)
    posts.run(2, 'other', 1, packCid(cidOf('other')), 450)
  })()

  const { rows, floor } = createMergedFeed(db).newest({
    originators: [1, 2],
    until: 1_000,
    limit: 2_000,
  })

  expect(rows.filter(({ sortAt }) => sortAt === 500)).toHaveLength(1_000)
  expect(rows.slice(1_000).map(({ sortAt }) => sortAt)).toEqual([450, 400])
  expect(floor).toBe(-Infinity)
})

test('no accounts yield no rows, and CIDs are those of rows that still exist', () => {
  const feed = createMergedFeed(db)
  expect(feed.newest({ originators: [], until: 1, limit: 5 })).toEqual({
    rows: [],
    floor: -Infinity,
  })
  const post = insertPost().run(1, 'a', 1, packCid(cidOf('a')), 1).lastInsertRowid
  const gone = insertPost().run(1, 'b', 2, null, null).lastInsertRowid
  const repost = insertRepost().run(1, 'c', packCid(cidOf('c')), 1).lastInsertRowid
  const [postItem, goneItem, repostItem] = [
    Number(post) * 2,
    Number(gone) * 2,
    Number(repost) * 2 + 1,
  ] as const

  expect(feed.cidsOf([repostItem, goneItem, postItem, 998, 999])).toEqual(
    new Map([
      [postItem, cidOf('a')],
      [repostItem, cidOf('c')],
    ]),
  )
})
