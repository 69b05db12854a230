// Streams of merges whose timelines hold the same records: live or caught up, each record comes once, in order,
// and continues from any of its ids.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAppend } from '../../../../src/features/timelines/writing/append.ts'
import { until } from '../../../support/eventually.ts'
import { createRandom } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import type { EventJson } from '../../../support/timelines-process.ts'
import { createWorld, type World } from '../../../support/world.ts'
import { openStreams } from '../support/open-streams.ts'

const SEED = testSeed('merged streams')

let world: World
let streams: Awaited<ReturnType<typeof openStreams>>
beforeEach(async () => {
  world = createWorld({ scope: 'network', members: ['alice', 'bob'] })
  streams = await openStreams(world)
})
afterEach(() => {
  streams.close()
  world.dispose()
})

const append = createAppend()
let noted = 0

function note(): string {
  const entityId = `note ${noted++}`
  const item = { entityId, entityType: 'note', payload: '{}', producerTs: 1, name: 'notes' }
  const body = Buffer.from(entityId)
  const post = { ...item, body, key: undefined, numbered: undefined }
  world.run((ctx) => append(ctx.db, [post], Date.now()))
  return entityId
}

test('a stream tells once of records that were deleted after they came, and of no others', async () => {
  const [alice, carol, dave] = ['alice', 'carol', 'dave'].map((name) => world.account(name)) as [
    ...[string, string, string],
  ]
  world.follow(alice, carol)
  const list = world.list(alice, 'a list', 'app.bsky.graph.defs#curatelist')
  world.listItem(alice, list, carol)
  const keys = [`following:${alice}`, `author:${carol}`, `list:${list.uri}`]
  const merged = await streams.listen(keys.join('+'))
  const single = await streams.listen(keys[2]!)
  const post = world.post(carol, 'to be deleted')
  const again = { did: carol, collection: 'app.bsky.feed.post', rkey: post.uri.split('/').at(-1)! }
  const repost = world.repost(carol, post)
  const stays = world.post(carol, 'stays')
  await until(() => merged.messages.length === 3 && single.messages.length === 2)
  world.write({
    ...again,
    operation: 'update',
    record: { text: 'edited', createdAt: world.isoNow() },
  })
  world.post(dave, 'elsewhere')
  world.delete(repost)
  world.delete(post)
  world.post(carol, 'last')
  await until(() => merged.messages.length === 6 && single.messages.length === 4)
  const sent = merged.messages.filter(({ event }) => event === 'message').map(({ data }) => data)
  const gone = merged.messages.filter(({ event }) => event === 'deleted')
  const named = ({ event_id, sequence_id, timeline_key, entity_id }: EventJson) => {
    return { event_id, sequence_id, timeline_key, entity_id }
  }
  expect(gone.map(({ data }) => data).toSorted(bySequence)).toEqual(sent.slice(0, 2).map(named))
  expect(gone.map(({ id }) => id)).toEqual([undefined, undefined])
  expect(sent.map(({ entity_id }) => entity_id).slice(0, 3)).toEqual([
    post.uri,
    repost.uri,
    stays.uri,
  ])
  const ofList = single.messages.filter(({ event }) => event === 'deleted')
  expect(ofList.map(({ data }) => [data.entity_id, data.timeline_key])).toEqual([
    [post.uri, keys[2]],
  ])
})

function bySequence(eventJson: EventJson, other: EventJson): number {
  return Number(eventJson.sequence_id) - Number(other.sequence_id)
}

test(`a record of several sources is sent once, live and from any id (seed ${SEED})`, async () => {
  const random = createRandom(SEED)
  const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => world.account(name)) as [
    ...[string, string, string],
  ]
  for (const by of [alice, bob]) world.follow(by, carol)
  const posted = [note()]
  const key = `following:${alice}+custom:notes+author:${carol}+following:${bob}`
  const stream = await streams.listen(key)
  posted.length = 0
  for (let i = 0; i < 120; i++) {
    posted.push(random.chance(0.3) ? note() : world.post(random.pick([alice, bob, carol])).uri)
    // Some arrive together.
    if (random.chance(0.4)) await until(() => stream.messages.length === posted.length)
  }
  await until(() => stream.messages.length >= posted.length)
  const ids = stream.messages.map(({ data }) => data.entity_id)
  expect(ids.toSorted()).toEqual(posted.toSorted())
  const records = (all: string[]) => all.filter((id) => id.startsWith('at:'))
  expect(records(ids)).toEqual(records(posted))
  const events = stream.messages.map(({ data }) => data.event_id)
  expect(new Set(events).size).toBe(posted.length)
  for (let i = 0; i < 5; i++) {
    const from = random.below(posted.length - 1)
    const again = await streams.listen(key, stream.messages[from]!.id)
    await until(() => again.messages.length >= posted.length - from - 1)
    expect(again.messages.map(({ data }) => data.event_id).toSorted()).toEqual(
      events.slice(from + 1).toSorted(),
    )
    again.close()
  }
}, 60_000)
