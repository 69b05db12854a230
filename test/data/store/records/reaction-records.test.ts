// Records with more content than their rows: they are deleted with their rows, and the oldest are dropped
// first.

import { afterEach, expect, test } from 'vitest'
import { packRkey } from '../../../../src/base/atproto/keys.ts'
import {
  findReactionRecord,
  insertReactionRecord,
  reactionsVia,
} from '../../../../src/data/store/records/reaction-records.ts'
import { didOf, tidAt } from '../../../support/records.ts'
import { createWorld } from '../../../support/world.ts'

const MAX_STORED = 100_000
const [alice, bob] = ['alice', 'bob'].map(didOf) as [string, string]
const createdAt = '2026-11-01T12:00:00.123456Z'

let world: ReturnType<typeof createWorld> | undefined
afterEach(() => world?.dispose())

function start() {
  world = createWorld({ scope: 'network', members: [] })
  return world
}

const count = (w: ReturnType<typeof start>) =>
  w.db.prepare('SELECT count(*) FROM reaction_records').pluck().get()

test('they are removed when the record is deleted or changed, or its account is removed', () => {
  const w = start()
  const post = w.post(alice)
  const like = w.create(bob, 'app.bsky.feed.like', { subject: post, createdAt })
  const repost = w.create(bob, 'app.bsky.feed.repost', { subject: post, createdAt })
  const follow = w.create(bob, 'app.bsky.graph.follow', { subject: alice, createdAt })
  expect(count(w)).toBe(3)
  w.delete(like)
  expect(count(w)).toBe(2)
  w.delete(follow)
  w.delete(repost)
  expect(count(w)).toBe(0)
  w.create(bob, 'app.bsky.feed.like', { subject: post, createdAt })
  w.status(bob, 'deleted')
  expect(count(w)).toBe(0)
})

test('an oversized record by a stranger is kept only as its row', () => {
  const w = start()
  const post = w.post(alice)
  const padding = 'x'.repeat(3_000)
  w.create(bob, 'app.bsky.feed.like', { subject: post, createdAt, padding })
  w.create(bob, 'app.bsky.graph.follow', { subject: alice, createdAt, padding })
  w.create(bob, 'app.bsky.graph.block', { subject: alice, createdAt, padding })
  const relations = w.db.prepare('SELECT count(*) FROM relation_records').pluck().get()
  expect([count(w), relations]).toEqual([0, 0])
})

test('content of rows is not stored twice', () => {
  const w = start()
  const post = w.post(alice)
  w.like(bob, post)
  w.repost(bob, post)
  w.follow(bob, alice)
  // One's own post: no notification.
  w.create(alice, 'app.bsky.feed.like', { subject: post, createdAt })
  expect(count(w)).toBe(0)
})

test('the oldest make room for the newest', () => {
  const { db } = start()
  const cid = Buffer.alloc(32, 7)
  const key = (i: number) =>
    ({ uid: 1, collection: 'app.bsky.feed.like', rkey: packRkey(tidAt(1e15 + i)) }) as const
  const insert = (i: number) => {
    const record = Buffer.from(`{"n":${i}}`)
    insertReactionRecord(db, { ...key(i), cid, record }, { uid: 2, rkey: 'r' })
  }
  const newest = () => reactionsVia(db, 2, 10).map(({ record }) => record.toString())
  for (const i of [1, 2, 3]) insert(i)
  // As if this many had been added meanwhile.
  db.prepare('UPDATE sqlite_sequence SET seq = ?').run(MAX_STORED)
  insert(4)
  expect(newest()).toEqual(['{"n":4}', '{"n":3}', '{"n":2}'])
  insert(5)
  expect(newest()).toEqual(['{"n":5}', '{"n":4}', '{"n":3}'])
  expect([2, 3].map((i) => findReactionRecord(db, key(i)) !== undefined)).toEqual([false, true])
})
