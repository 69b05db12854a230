// Live streams that cost much: of merges, whose every event has a cursor, and of accounts that are on any number of
// lists. What arrives at once is looked at a part at a time.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CallTime } from '../../../../src/base/util/turn.ts'
import { InvalidationReader } from '../../../../src/data/shared-memory/invalidation-ring.ts'
import { createLiveFeed } from '../../../../src/features/timelines/http/live-feed.ts'
import {
  createOpenSource,
  prepareReaders,
} from '../../../../src/features/timelines/sources/open-sources.ts'
import { parseTimelineKey } from '../../../../src/features/timelines/sources/timeline-key.ts'
import { until } from '../../../support/eventually.ts'
import { createWorld, type World } from '../../../support/world.ts'
import { openStreams } from '../support/open-streams.ts'

/** As many as there are in the first part of a look, and more. */
const MANY = 600
const LISTS = 3

let world: World
let [alice, carol] = ['', '']
let lists: string[]
const closing: (() => void)[] = []

beforeEach(() => {
  world = createWorld({ scope: 'network', members: ['alice'] })
  ;[alice, carol] = ['alice', 'carol'].map((name) => world.account(name)) as [string, string]
  lists = Array.from({ length: LISTS }, (_, i) => {
    const list = world.list(alice, `list ${i}`, 'app.bsky.graph.defs#curatelist')
    world.listItem(alice, list, carol)
    return `list:${list.uri}`
  })
})
afterEach(() => {
  for (const close of closing.splice(0)) close()
  world.dispose()
})

/** Time passes at each look at the clock. */
function payer(isMember: boolean) {
  const account = { isSpent: false }
  let nowMs = 0
  const time = new CallTime({ turnMs: Number.POSITIVE_INFINITY, clock: () => (nowMs += 1) })
  const caller = { who: undefined, time, isSpent: () => account.isSpent }
  return { account, time, by: { name: 'somebody', isMember, caller } }
}

async function listening(key: string, isMember: boolean) {
  const { by, ...paying } = payer(isMember)
  const streams = await openStreams(world, by)
  closing.push(streams.close)
  const stream = await streams.listen(key)
  const post = async (count: number) => {
    const before = stream.messages.length
    const uris = Array.from({ length: count }, (_, i) => world.post(carol, `post ${i}`).uri)
    await until(() => stream.messages.length >= before + count)
    return uris
  }
  return { ...paying, stream, post }
}

describe('what a stream brings', () => {
  test.each<[string, () => string, boolean, boolean]>([
    ['of a merge', () => lists.join('+'), false, true],
    ['of one timeline to a member', () => `following:${alice}`, true, true],
    ['of one timeline to a program', () => lists[0]!, false, false],
  ])('%s is time of its reader', async (_, key, isMember, isCharged) => {
    world.follow(alice, carol)
    const { time, post } = await listening(key(), isMember)
    // A stream that has not gone live yet reads its first events as a call.
    await post(1)
    const before = time.usedMs
    await post(1)
    expect(time.usedMs > before).toBe(isCharged)
  })

  test('waits until there are points, and nothing is lost', async () => {
    const { account, stream } = await listening(lists.join('+'), true)
    account.isSpent = true
    const uris = Array.from({ length: 5 }, (_, i) => world.post(carol, `post ${i}`).uri)
    const other = await listening(lists[0]!, false)
    const further = await other.post(2)
    expect(stream.messages).toEqual([])
    account.isSpent = false
    await until(() => stream.messages.length >= 7)
    expect(stream.messages.map(({ data }) => data.entity_id)).toEqual([...uris, ...further])
  })

  test('is looked at a part at a time, in order', async () => {
    const { stream, post } = await listening(lists.join('+'), true)
    const uris = await post(MANY)
    expect(stream.messages.map(({ data }) => data.entity_id)).toEqual(uris)
  })
})

test('one look finds so many events, or deleted ones, the next one those behind them', () => {
  const { feed } = openFeed()
  const posts = Array.from({ length: MANY }, (_, i) => world.post(carol, `post ${i}`))
  const looks = () => {
    const counts: number[][] = []
    for (let isEnd = false; !isEnd; ) {
      const look = feed.look()
      isEnd = look.isEnd
      counts.push(...look.deliveries.map(({ events, deleted }) => [events.length, deleted.length]))
    }
    const sum = (i: number) => counts.reduce((all, count) => all + count[i]!, 0)
    return { looks: counts.length, events: sum(0), deleted: sum(1) }
  }
  const arrived = looks()
  expect(arrived).toMatchObject({ events: MANY, deleted: 0 })
  for (const post of posts) world.delete(post)
  const gone = looks()
  expect(gone).toMatchObject({ events: 0, deleted: MANY })
  expect(Math.min(arrived.looks, gone.looks)).toBeGreaterThan(1)
})

test('an account on more lists than are listened to is looked for on these alone', () => {
  const { feed, topic, readers } = openFeed()
  const read: number[] = []
  const { listsAmong } = readers.lists
  readers.lists.listsAmong = (uid, some) => {
    read.push(some.length)
    return listsAmong(uid, some)
  }
  for (let i = 0; i < 40; i++) {
    const list = world.list(alice, `another ${i}`, 'app.bsky.graph.defs#curatelist')
    world.listItem(alice, list, carol)
  }
  const uris = Array.from({ length: 5 }, () => world.post(carol).uri)
  const [found] = feed.look().deliveries
  expect([found?.topic, found?.events.length]).toEqual([topic, uris.length])
  // Once for all that it has posted.
  expect(read).toEqual([1])
  const { listsAmong: among } = readers.lists
  const uid = world.memory.actors.uidOf(carol)
  expect(among(uid, [topic.id, 999_999])).toEqual([topic.id])
})

function openFeed() {
  const { actors, graph } = world.memory
  const parts = { db: world.reader, actors, graph, isDrawn: () => true }
  const readers = prepareReaders(parts, new InvalidationReader(world.invalidations.buffer))
  readers.begin()
  const [key] = parseTimelineKey(lists[0]!)
  const feed = createLiveFeed(parts, readers)
  return { feed, readers, topic: feed.join(key!, createOpenSource(parts, readers)(key!)!) }
}
