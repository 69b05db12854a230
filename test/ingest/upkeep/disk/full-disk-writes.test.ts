// The answer to a client's write that finds the disk full: it was not done, and when to retry. It is logged
// once, and costs next to nothing however often it is retried.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWriterRequests } from '../../../../src/ingest/upkeep/requests/writer-requests.ts'
import { type BoundedDatabase, createBoundedDatabase } from '../../../support/bounded-database.ts'
import { createServingWorld, type ServingWorld } from '../../../support/serving-world.ts'

const CREATE = 'app.bsky.bookmark.createBookmark'

let world: ServingWorld
let bounded: BoundedDatabase
let alice: string

beforeEach(() => {
  world = createServingWorld({ members: ['alice'] })
  bounded = createBoundedDatabase()
  alice = world.account('alice')
})

afterEach(() => {
  bounded.diskSpace.stop()
  world.dispose()
})

/** Enough posts that no page has room for all. */
const manyPosts = () => Array.from({ length: 400 }, () => world.post(alice))

const bookmarks = () =>
  world.db.prepare<[], number>('SELECT count(*) FROM bookmarks').pluck().get()!

test('a write on a full disk is answered with 503 and a retry time, and none is half done', async () => {
  const logged = vi.spyOn(console, 'error')
  const posts = manyPosts()
  bounded.fill(world.db)
  const statuses: number[] = []
  for (const post of posts) {
    const { status, headers, body } = await world.tell(CREATE, post, alice)
    statuses.push(status)
    if (status === 200) continue
    expect(body).toMatchObject({ error: 'ServiceUnavailable', message: expect.any(String) })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  const done = statuses.filter((status) => status === 200).length
  expect([...new Set(statuses)].sort()).toEqual([200, 503])
  expect(bookmarks()).toBe(done)
  expect(logged).not.toHaveBeenCalled()

  bounded.free(world.db)
  for (const post of posts) expect((await world.tell(CREATE, post, alice)).status).toBe(200)
  expect(bookmarks()).toBe(posts.length)
})

test('however many writes find no room, it is logged once and few are tried', () => {
  const posts = manyPosts()
  const commit = vi.spyOn(world.writer, 'commit')
  const answer = createWriterRequests({
    writer: world.writer,
    openTimeline: () => undefined,
    wakeBackfill: () => undefined,
    diskSpace: bounded.diskSpace,
  })
  const ask = () => posts.map((post, id) => answer({ kind: 'bookmark', id, did: alice, ...post }))
  bounded.fill(world.db)
  const replies = ask()
  const refused = replies.filter(({ ok }) => !ok)
  expect(refused.length).toBeGreaterThan(10)
  expect(refused[0]).toMatchObject({ error: 'DiskFullError' })
  const done = replies.length - refused.length
  expect(bookmarks()).toBe(done)
  expect(commit.mock.calls.length).toBeLessThan(done + 10)
  expect(bounded.messages).toHaveLength(1)

  bounded.free(world.db)
  expect(ask().every(({ ok }) => ok)).toBe(true)
  expect(bounded.messages).toHaveLength(2)
})
