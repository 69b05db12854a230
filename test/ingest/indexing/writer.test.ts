// A batch is one transaction: rows, cursor and gaps, or nothing; and no bad record spoils it.

import type { StreamCursor, StreamEvent, StreamGap, WriteEvent } from '@slipstream/jetstream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { InvariantError } from '../../../src/base/util/assert.ts'
import { pruneTombstones } from '../../../src/data/store/records/tombstones.ts'
import { listGaps } from '../../../src/data/store/stream/gaps.ts'
import { streamCursors } from '../../../src/data/store/stream/stream-cursors.ts'
import { commitBatch } from '../../../src/ingest/indexing/apply-batch.ts'
import { tidAt } from '../../support/records.ts'
import { countRows, jobsOf, postOf } from '../../support/rows.ts'
import { createWorld, type RecordId, type World } from '../../support/world.ts'

let world: World
let member: string

beforeEach(() => {
  world = createWorld({ members: ['member'] })
  member = world.account('member')
})
afterEach(() => world.dispose())

const cursor: StreamCursor = { host: 'wss://one.test', wire: 'v2', seq: 7, timeUs: 1_000 }
const gap: StreamGap = { host: 'wss://one.test', fromUs: 1, toUs: 2, cause: 'cursor-too-old' }

/** An event that throws when read, as a write to a full disk does. */
const poison = {
  kind: 'commit',
  get did(): string {
    throw new Error('the disk is full')
  },
} as unknown as StreamEvent

describe('a batch', () => {
  it('stores rows, cursor and gaps together', () => {
    const events = world.hold(() => void world.post(member, 'hello'))
    world.commit({ events, cursor, gaps: [gap] })
    expect(countRows(world, 'posts')).toBe(1)
    expect(streamCursors(world.reader)).toEqual([cursor])
    expect(listGaps(world.reader, { limit: 9 })).toMatchObject([
      { host: gap.host, fromUs: 1, toUs: 2, state: 'open' },
    ])
    const later = { ...cursor, wire: 'v1', seq: undefined, timeUs: 2_000 } as const
    world.tick()
    world.commit({ events: [], cursor: later })
    expect(streamCursors(world.reader)).toEqual([later, cursor])
  })

  it('leaves out events that fail unexpectedly, reports them once, and advances the cursor', () => {
    const events = world.hold(() => {
      for (let i = 0; i < 9; i++) world.post(member, `hello ${i}`)
    })
    events.splice(4, 0, poison)
    events.splice(7, 0, poison)
    const reported: unknown[] = []
    const { commit } = world.writer
    const onLeftOut = (error: unknown) => reported.push(error)
    const outcome = commitBatch(
      { ...world.writer, commit, onLeftOut },
      { events, cursor, gaps: [gap] },
    )
    expect(outcome).toMatchObject({ applied: 9, skipped: { unforeseen: 2 } })
    expect(reported).toHaveLength(2)
    expect([countRows(world, 'posts'), countRows(world, 'gaps')]).toEqual([9, 1])
    expect(streamCursors(world.reader)).toEqual([cursor])
  })

  it('is given up as a whole for our own failures: a full disk, a broken invariant', () => {
    const ours = (error: Error) => {
      const failing = {
        kind: 'commit',
        get did(): string {
          throw error
        },
      } as unknown as StreamEvent
      const events = [...world.hold(() => void world.post(member, 'hello')), failing]
      expect(() => commitBatch(world.writer, { events, cursor })).toThrow(error)
    }
    ours(new InvariantError('ours'))
    ours(Object.assign(new Error('full'), { code: 'SQLITE_FULL' }))
    ours(Object.assign(new Error('broken'), { code: 'SQLITE_IOERR_READ' }))
    expect([countRows(world, 'posts'), streamCursors(world.reader)]).toEqual([0, []])
  })

  it('that fails leaves nothing behind, in rows or among the accounts', () => {
    const friend = world.account('friend')
    const events = world.hold(() => {
      world.follow(member, friend)
      world.post(friend, 'hello')
      world.status(member, 'deleted')
    })
    const before = world.actors.count
    const broken = { events: [...events, poison], cursor, gaps: [gap] }
    expect(() => world.commit(broken)).toThrow('the disk is full')
    expect(world.actors.count).toBe(before)
    expect(world.uid(friend)).toBe(0)
    for (const table of ['posts', 'follows', 'gaps', 'stream_cursors', 'graph_changes']) {
      expect([table, countRows(world, table)]).toEqual([table, 0])
    }
    // The same again without the failure: uids, jobs and the deleted account are unaffected by it.
    world.apply(events.slice(0, 2))
    expect(world.db.prepare('SELECT uid FROM actors WHERE did = ?').pluck().get(friend)).toBe(
      world.uid(friend),
    )
    expect(jobsOf(world)).toContain(`profile ${world.uid(friend)}`)
    expect(world.timelineItems(member)).toHaveLength(1)
  })

  it('skips bad records, counted by reason', () => {
    const good = world.hold(() => void world.post(member, 'good')) as WriteEvent[]
    const broken = (change: Partial<WriteEvent>) => ({ ...good[0]!, rkey: 'other', ...change })
    const outcome = world.apply([
      broken({ record: { $type: 'app.bsky.feed.post', text: 7 } }),
      broken({ record: { $type: 'app.bsky.feed.like', text: 'x', createdAt: world.isoNow() } }),
      broken({ cid: 'QmNotOurs' }),
      broken({ collection: 'app.bsky.actor.mood' }),
      broken({ collection: 'app.bsky.actor.profile', record: { $type: 'app.bsky.actor.profile' } }),
      broken({ did: world.account('stranger') }),
      ...good,
      ...good,
    ])
    expect(outcome).toMatchObject({
      applied: 1,
      skipped: {
        'invalid-record': 2,
        'bad-cid': 1,
        'not-indexed': 1,
        'wrong-key': 1,
        'out-of-scope': 1,
        duplicate: 1,
      },
    })
    expect(countRows(world, 'posts')).toBe(1)
  })

  it('is dated by the stream, however wrong our own clock is', () => {
    const [event] = world.hold(() => void world.post(member, 'hello')) as WriteEvent[]
    const dayAheadMs = world.now() + 86_400_000
    const record = { ...event!.record, createdAt: new Date(dayAheadMs + 5_000).toISOString() }
    const rkey = tidAt((dayAheadMs + 5_000) * 1000)
    world.apply([{ ...event!, record, rkey, timeUs: dayAheadMs * 1000 }])
    const sortAt = world.db.prepare('SELECT sort_at FROM posts').pluck().get()
    expect(sortAt).toBe(dayAheadMs)
  })

  it('is refused if rows and memory do not match', () => {
    world.post(member, 'hello')
    world.db.exec('UPDATE actors SET uid = 5 WHERE uid = 1')
    expect(() => world.restart()).toThrow(InvariantError)
  })
})

describe('a late event', () => {
  it('is recognized by its row’s rev when the tombstones are gone', () => {
    const item = world.post(member, 'first')
    const rkey = item.uri.split('/').at(-1)!
    const record = { text: 'second', createdAt: world.isoNow() }
    const edit = { did: member, collection: 'app.bsky.feed.post', record, rkey } as const
    world.write({ ...edit, operation: 'update' })
    world.delete(item)
    world.profile(member, { displayName: 'one' })
    world.profile(member, { displayName: 'two' })
    expect(pruneTombstones(world.db, world.now() + 1, 100)).toBeGreaterThan(0)
    expect(countRows(world, 'tombstones')).toBe(0)
    const { skipped } = world.apply(world.sent)
    expect(skipped).toMatchObject({ late: 3 })
    expect(postOf(world, item)).toMatchObject({ state: 2 })
    const profile = world.db.prepare('SELECT record FROM profiles').pluck().get() as Buffer
    expect(JSON.parse(profile.toString())).toMatchObject({ displayName: 'two' })
  })

  it('does not undo a second record for the same pair or post', () => {
    const friend = world.account('friend')
    const post = world.post(member, 'hello')
    const [first, two] = [world.follow(member, friend), world.follow(member, friend)]
    const likes: RecordId[] = [world.like(friend, post), world.like(friend, post)]
    const reposts = [world.repost(friend, post), world.repost(friend, post)]
    expect(postOf(world, post)).toMatchObject({ likes: 1, reposts: 1 })
    expect(world.timelineItems(member)).toHaveLength(3)
    for (const record of [first, likes[0]!, reposts[0]!]) world.delete(record)
    expect(postOf(world, post)).toMatchObject({ likes: 1, reposts: 1 })
    expect(world.graph.has(world.uid(member), world.uid(friend))).toBe(true)
    for (const record of [two, likes[1]!, reposts[1]!]) world.delete(record)
    expect(postOf(world, post)).toMatchObject({ likes: 0, reposts: 0 })
    expect(world.graph.has(world.uid(member), world.uid(friend))).toBe(false)
    expect(world.timelineItems(member)).toHaveLength(1)
  })

  it('requests identity and repository again, even while a request is running', () => {
    world.db.exec('DELETE FROM jobs')
    world.identity(member, 'new.test')
    world.sync(member)
    world.sync(member)
    world.sync(world.account('stranger'))
    const uid = world.uid(member)
    expect(jobsOf(world)).toEqual([`identity ${uid}`, `repo ${uid}`])
    const stamp = "SELECT stamp FROM jobs WHERE kind = 'repo'"
    expect(world.db.prepare(stamp).pluck().get()).toBe(1)
  })
})
