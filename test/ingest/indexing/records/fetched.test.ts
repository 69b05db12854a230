// Records that the backfill room fetched, against what the stream delivered meanwhile.

import type { WriteEvent } from '@slipstream/jetstream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/base/util/json-object.ts'
import { ANCHOR } from '../../../../src/data/store/posts/post-flags.ts'
import { postRecord } from '../../../../src/data/store/posts/posts.ts'
import { applyFetched } from '../../../../src/ingest/indexing/apply-batch.ts'
import { markPostMissing } from '../../../../src/ingest/indexing/records/found-posts.ts'
import { tidAt } from '../../../support/records.ts'
import { countRows, jobsOf, postOf } from '../../../support/rows.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'

let world: World
let member: string
let author: string

beforeEach(() => {
  world = createWorld({ members: ['member'] })
  member = world.account('member')
  author = world.account('author')
  world.follow(member, author)
})
afterEach(() => world.dispose())

function post(text: string, createdAt = world.isoNow()): JsonObject {
  return { $type: 'app.bsky.feed.post', text, createdAt }
}

function textOf(id: RecordId): string | undefined {
  const { id: row } = postOf(world, id)!
  const record = postRecord(world.db, row)
  return record ? (JSON.parse(record) as { text: string }).text : undefined
}

describe('a fetched record', () => {
  it('is shown at its createdAt, but not later than now', () => {
    const old = { uri: `at://${author}/app.bsky.feed.post/${tidAt(1_700_000_000_000_000)}` }
    const recent = world.post(author, 'recent')
    world.fetched({ ...old, record: post('old', '2023-11-14T22:13:20.000Z') })
    expect(postOf(world, old.uri)?.sort_at).toBe(1_700_000_000_000)
    const items = [recent.uri, old.uri].map((uri) => postOf(world, uri)!.id * 2)
    expect(world.timelineItems(member)).toEqual(items)
    const future = { uri: `at://${author}/app.bsky.feed.post/of-no-time` }
    world.fetched({ ...future, record: post('future', '2030-01-01T00:00:00.000Z') })
    expect(postOf(world, future.uri)?.sort_at).toBe(world.now())
  })

  it('without a createdAt is indexed at its key’s time, or now: never in 1970', () => {
    const uri = `at://${author}/app.bsky.actor.profile/self`
    world.fetched({ uri, record: { $type: 'app.bsky.actor.profile', displayName: 'Anna' } })
    const times = world.db.prepare('SELECT created_at, indexed_at FROM profiles').all()
    expect(times).toEqual([{ created_at: null, indexed_at: world.now() }])
  })

  it('with a future createdAt is placed at its write time, in order with others like it', () => {
    const at = (ms: number) => `at://${author}/app.bsky.feed.post/${tidAt(ms * 1000)}`
    const now = world.now()
    const day = 86_400_000
    // The later the write, the nearer the claimed future.
    const made = [now - 3 * day, now - 2 * day, now - day]
    const claims = ['2032', '2031', '2030'].map((year) => `${year}-01-01T00:00:00.000Z`)
    for (const i of [1, 2, 0]) world.fetched({ uri: at(made[i]!), record: post('x', claims[i]!) })
    const plain = at(now - 2.5 * day)
    world.fetched({ uri: plain, record: post('y', new Date(now - 2.5 * day).toISOString()) })
    expect(made.map((ms) => postOf(world, at(ms))?.sort_at)).toEqual(made)
    const order = [at(made[2]!), at(made[1]!), plain, at(made[0]!)]
    const items = order.map((uri) => postOf(world, uri)!.id * 2)
    expect(world.timelineItems(member)).toEqual(items)
  })

  it('with a future createdAt keeps its place when the stream delivers it later', () => {
    const [written, next] = world.hold(() => {
      world.post(author, { text: 'from the future', createdAt: '2030-01-01T00:00:00.000Z' })
      world.post(author, 'from today')
    }) as [WriteEvent, WriteEvent]
    const uriOf = ({ did, collection, rkey }: WriteEvent) => `at://${did}/${collection}/${rkey}`
    const writtenAt = Math.floor(written.timeUs / 1000)
    // A Jetstream server stamps events on receipt.
    const late = { ...written, timeUs: written.timeUs + 3_000_000 }
    const { record } = written
    if (record) world.fetched({ uri: uriOf(written), record })
    world.apply([late, { ...next, timeUs: next.timeUs + 3_000_000 }])
    expect(postOf(world, uriOf(written))?.sort_at).toBe(writtenAt)
    const items = [next, written].map((event) => postOf(world, uriOf(event))!.id * 2)
    expect(world.timelineItems(member)).toEqual(items)
  })

  it('with a key time before the network or in the future is placed at now', () => {
    for (const ms of [Date.parse('2001-01-01'), Date.parse('2029-01-01')]) {
      const uri = `at://${author}/app.bsky.feed.post/${tidAt(ms * 1000)}`
      world.fetched({ uri, record: post('x', '2030-01-01T00:00:00.000Z') })
      expect(postOf(world, uri)?.sort_at).toBe(world.now())
    }
  })

  it.each(['at once', 'after a restart'])(
    'is shown at its own time while our clock is behind the stream, %s',
    (when) => {
      const ahead = world.now() + 3_600_000
      const cursor = {
        host: 'wss://one.test',
        wire: 'v2',
        seq: 7,
        timeUs: ahead * 1000 + 7,
      } as const
      world.commit({ events: [], cursor })
      if (when === 'after a restart') world.restart()
      const young = { uri: `at://${author}/app.bsky.feed.post/${tidAt(ahead * 1000 + 9_000)}` }
      world.fetched({ ...young, record: post('young', new Date(ahead + 1_000).toISOString()) })
      expect(postOf(world, young.uri)?.sort_at).toBe(ahead + 1_000)
      const future = { uri: `at://${author}/app.bsky.feed.post/${tidAt(ahead * 1000 + 8_000)}` }
      world.fetched({ ...future, record: post('future', '2030-01-01T00:00:00.000Z') })
      expect(postOf(world, future.uri)?.sort_at).toBe(ahead + 8)
    },
  )

  it.each(['from a listing', 'from a whole repository'])(
    'fetched while our clock was behind gets its own time once the stream reaches it, %s',
    (whence) => {
      const notified = world.post(member, 'told')
      const early = world.post(author, 'early')
      const made = world.hold(() => {
        world.tick(3_600_000)
        world.repost(author, early)
        world.post(author, { text: 'late', reply: { parent: notified } })
      })
      const [repost, reply] = made.map((event) => {
        const { did, collection, rkey, record } = event as WriteEvent
        return { uri: `at://${did}/${collection}/${rkey}`, record }
      })
      world.tick(-3_600_000)
      const rev = whence === 'from a listing' ? undefined : tidAt(world.now() * 1000 + 4e9)
      world.fetched({ ...repost!, rev })
      world.fetched({ ...reply!, rev })
      const last = world.post(author, 'last')
      expect(world.timelineItems(member)[0]).toBe(postOf(world, last)!.id * 2)
      expect(world.apply(made).applied).toBe(2)
      expect(world.apply(made).skipped).toEqual({ duplicate: 2 })
      const repostRow = world.db.prepare('SELECT id, sort_at FROM reposts').all()
      const madeAt = made.map(({ timeUs }) => Math.floor(timeUs / 1000))
      expect(repostRow).toEqual([expect.objectContaining({ sort_at: madeAt[0] })])
      expect(postOf(world, reply!.uri)).toMatchObject({ sort_at: madeAt[1] })
      const { id } = repostRow[0] as { id: number }
      const visible = [postOf(world, reply!.uri)!.id * 2, id * 2 + 1, postOf(world, last)!.id * 2]
      expect(world.timelineItems(member).slice(0, 3)).toEqual(visible)
      expect(postOf(world, notified)).toMatchObject({ replies: 1 })
      expect(postOf(world, early)).toMatchObject({ reposts: 1 })
      expect(countRows(world, 'notifications')).toBe(1)
      expect(world.fetched({ ...reply!, rev }).skipped).toEqual({ duplicate: 1 })
    },
  )

  it('equals the streamed one, twice or in either order', () => {
    const streamed = world.post(author, { text: 'hello', createdAt: '2026-11-01T12:00:00.000Z' })
    const record = post('hello', '2026-11-01T12:00:00.000Z')
    expect(world.fetched({ ...streamed, record }).skipped).toEqual({ duplicate: 1 })
    expect(countRows(world, 'posts')).toBe(1)
    expect(
      world.db.prepare('SELECT posts_count FROM actors WHERE did = ?').pluck().get(author),
    ).toBe(1)
  })

  it('loses to a deletion streamed since the fetch began', () => {
    const gone = world.post(author, 'gone')
    const like = world.like(author, gone)
    const fetchedAt = world.now()
    world.delete(gone)
    world.delete(like)
    const likeRecord = { $type: 'app.bsky.feed.like', subject: gone, createdAt: world.isoNow() }
    expect(world.fetched({ ...gone, record: post('gone'), fetchedAt }).skipped).toEqual({ late: 1 })
    expect(world.fetched({ ...like, record: likeRecord, fetchedAt }).skipped).toEqual({ late: 1 })
    expect(postOf(world, gone)).toMatchObject({ state: 2, likes: 0 })
  })

  it('loses to the deletion of a record that was never stored', () => {
    const fetchedAt = world.now()
    let unseen: RecordId | undefined
    world.hold(() => {
      unseen = world.post(author, 'unseen')
    })
    world.delete(unseen!)
    expect(world.fetched({ ...unseen!, record: post('unseen'), fetchedAt }).applied).toBe(0)
  })

  it('wins over an older deletion: it was recreated', () => {
    const record = world.post(author, 'first')
    world.delete(record)
    world.tick()
    expect(world.fetched({ ...record, record: post('second') }).applied).toBe(1)
    expect(textOf(record)).toBe('second')
  })

  it('loses to a change since the fetch began, and wins over an older state', () => {
    const item = world.post(author, 'first')
    const fetchedAt = world.now()
    const rkey = item.uri.split('/').at(-1)!
    const record = post('second')
    world.write({
      did: author,
      collection: 'app.bsky.feed.post',
      record,
      rkey,
      operation: 'update',
    })
    expect(world.fetched({ ...item, record: post('first again'), fetchedAt }).applied).toBe(0)
    expect(textOf(item)).toBe('second')
    world.tick()
    expect(world.fetched({ ...item, record: post('third, which the stream missed') }).applied).toBe(
      1,
    )
    expect(textOf(item)).toBe('third, which the stream missed')
  })

  it('with a rev is ordered by its rev only', () => {
    const record = world.post(author, 'first')
    const before = tidAt(world.tick() - 1_000_000)
    world.delete(record)
    const after = tidAt(world.tick())
    expect(world.fetched({ ...record, record: post('old'), rev: before }).applied).toBe(0)
    expect(world.fetched({ ...record, record: post('new'), rev: after }).applied).toBe(1)
    expect(textOf(record)).toBe('new')
  })

  it('is skipped and counted if invalid, misnamed or out of scope', () => {
    const uri = `at://${author}/app.bsky.feed.post/${tidAt(1)}`
    expect(world.fetched({ uri, record: { text: 1 } }).skipped).toEqual({ 'invalid-record': 1 })
    const stranger = `at://${world.account('stranger')}/app.bsky.feed.post/${tidAt(1)}`
    expect(world.fetched({ uri: stranger, record: post('hi') }).skipped).toEqual({
      'out-of-scope': 1,
    })
    const records = [
      { collection: 'app.bsky.feed.post', rkey: 'x', cid: 'nonsense', record: post('x') },
    ]
    const { skipped } = world.writer.commit((ctx) =>
      applyFetched(ctx, { did: author, fetchedAt: 0, records }),
    )
    expect(skipped).toEqual({ 'bad-cid': 1 })
  })
})

describe('a post stored before its writer was an author', () => {
  it('is shown with everything it refers to when it arrives again', () => {
    const friend = world.account('friend')
    const post = world.post(author, 'hello')
    let far: RecordId
    world.hold(() => {
      far = world.post(world.account('far'), 'far away')
    })
    const reply = world.post(friend, { reply: { parent: post }, quote: far! })
    const { record } = world.sent.at(-1) as WriteEvent
    expect(postOf(world, far!)!.flags & ANCHOR).toBe(0)
    const again = () => world.fetched({ ...reply, record })
    expect(again().skipped).toEqual({ duplicate: 1 })
    world.follow(member, friend)
    expect(again().applied).toBe(1)
    expect(postOf(world, reply)!.flags & ANCHOR).toBe(ANCHOR)
    expect(postOf(world, far!)!.flags & ANCHOR).toBe(ANCHOR)
    expect(jobsOf(world)).toContain(`post ${postOf(world, far!)!.id}`)
    expect(again().skipped).toEqual({ duplicate: 1 })
  })
})

describe('a stranger’s post that an author refers to', () => {
  let far: RecordId
  beforeEach(() => {
    world.hold(() => {
      far = world.post(world.account('far'), 'far away')
    })
    world.repost(author, far)
  })

  it('fills its row when found, and is no timeline item itself', () => {
    expect(postOf(world, far)).toMatchObject({ state: 0, reposts: 1 })
    expect(world.timelineItems(member)).toHaveLength(1)
    expect(world.fetched({ ...far, record: post('far away') }).applied).toBe(1)
    expect(postOf(world, far)).toMatchObject({ state: 1, reposts: 1 })
    expect(world.timelineItems(member)).toHaveLength(1)
  })

  it('is marked missing if its PDS has none, until it arrives after all', () => {
    const { id } = postOf(world, far)!
    world.run((ctx) => markPostMissing(ctx, id))
    expect(postOf(world, far)).toMatchObject({ state: 3, reposts: 1 })
    world.tick()
    world.fetched({ ...far, record: post('there you are') })
    expect(postOf(world, far)).toMatchObject({ state: 1, reposts: 1 })
    world.run((ctx) => markPostMissing(ctx, id))
    expect(postOf(world, far)?.state).toBe(1)
  })

  it('does not come back if it was deleted during the fetch', () => {
    const fetchedAt = world.now()
    world.delete(far)
    expect(world.fetched({ ...far, record: post('far away'), fetchedAt }).applied).toBe(0)
    expect(postOf(world, far)?.state).toBe(2)
  })
})

describe('a deleted account', () => {
  it('loses everything, and its older records stay deleted when it comes back', () => {
    const record = world.post(author, 'hello')
    const reply = world.post(member, { reply: { parent: record } })
    const like = world.like(author, reply)
    world.follow(author, member)
    const fetchedAt = world.now()
    const replayed = world.sent.slice()
    world.status(author, 'deleted')
    expect(postOf(world, record)?.state).toBe(2)
    expect(postOf(world, reply)).toMatchObject({ likes: 0, state: 1 })
    expect(countRows(world, 'likes')).toBe(0)
    expect(world.graph.has(world.uid(author), world.uid(member))).toBe(false)
    expect(world.graph.has(world.uid(member), world.uid(author))).toBe(true)
    expect(world.timelineItems(member)).toEqual([postOf(world, reply)!.id * 2])
    expect(world.post(author, 'ghost') && countRows(world, 'likes')).toBe(0)
    world.status(author)
    world.apply(replayed)
    const likeRecord = { $type: 'app.bsky.feed.like', subject: reply, createdAt: world.isoNow() }
    world.fetched({ ...like, record: likeRecord, fetchedAt })
    expect(countRows(world, 'likes')).toBe(0)
    expect(postOf(world, record)?.state).toBe(2)
    world.like(author, reply)
    expect(postOf(world, reply)?.likes).toBe(1)
  })

  it('if only deactivated, is hidden and later shown again as it was', () => {
    const record = world.post(author, 'hello')
    const hidden = () => world.actors.flagsOf(world.uid(author)) & 4
    world.status(author, 'deactivated')
    expect(hidden()).toBe(4)
    const during = world.post(author, 'still writing')
    world.restart()
    expect(hidden()).toBe(4)
    world.status(author)
    expect(hidden()).toBe(0)
    const items = [during, record].map((id) => postOf(world, id)!.id * 2)
    expect(world.timelineItems(member)).toEqual(items)
  })

  it('is fetched again completely when it returns, since its PDS answered nothing meanwhile', () => {
    const sought = `at://${author}/app.bsky.feed.post/${tidAt(1_700_000_000_000_000)}`
    world.repost(member, { uri: sought, cid: world.post(author, 'any').cid })
    world.status(author, 'deactivated')
    world.writer.commit((ctx) => markPostMissing(ctx, postOf(world, sought)!.id))
    world.db.exec('DELETE FROM jobs')
    world.status(author)
    const jobs = world.db.prepare('SELECT kind FROM jobs ORDER BY kind').pluck().all()
    expect(jobs).toEqual(expect.arrayContaining(['blocks', 'feed', 'follows', 'post', 'profile']))
  })
})
