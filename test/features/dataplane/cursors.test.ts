// Paging begun on the reference's own dataplane continues here at the time in its cursor, with older records
// only. Mutes of reposts or quote posts alone are listed as mutes, and marked.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cidOf, didOf, tidAt } from '../../support/records.ts'
import { createWorld, type World } from '../../support/world.ts'
import { startCallsOver } from './dataplane-world.ts'

const vera = didOf('vera')
const people = Array.from({ length: 6 }, (_, i) => didOf(`person-${i}`))
const OLDER = 3

let world: World
let dataplane: Awaited<ReturnType<typeof startCallsOver>>
/** Later than the first three records, and earlier than the others. */
let between = 0
let subject = { uri: '', cid: '' }
let listUri = ''

beforeAll(async () => {
  world = createWorld({ scope: 'network', members: ['vera'] })
  world.profile(vera)
  subject = world.post(vera)
  const list = world.list(vera, 'list', 'app.bsky.graph.defs#curatelist')
  listUri = list.uri
  for (const [i, did] of people.entries()) {
    world.tick(1_000)
    if (i === OLDER) {
      between = world.now()
      world.tick(1_000)
    }
    for (const act of [world.like, world.repost]) act(did, subject)
    world.post(did, { quote: subject })
    world.follow(did, vera)
    world.follow(vera, did)
    world.block(vera, did)
    world.listItem(vera, list, did)
    const post = world.post(did)
    world.like(vera, post)
    world.repost(vera, post)
    const ask = { id: 1, did: vera } as const
    world.request({ ...ask, kind: 'bookmark', ...post })
    const subscription = { subject: did, post: true, reply: false }
    world.request({ ...ask, kind: 'activity-subscription', ...subscription })
    const scope = { onlyReposts: i % 2 === 1, onlyQuoteposts: i % 3 === 2 }
    world.request({ ...ask, kind: 'mute', subjectDid: did, ...scope })
  }
  dataplane = await startCallsOver(world)
})

afterAll(async () => {
  await dataplane.close()
  world.dispose()
})

const byCid = () => `${between}__${cidOf('anything')}`
const byKey = () => tidAt(between * 1_000)
const ofActor = () => ({ actorDid: vera })
const ofSubject = () => ({ subject })

describe('paging begun elsewhere continues', () => {
  test.each([
    ['getFollows', 'follows', ofActor, byCid],
    ['getFollowers', 'followers', ofActor, byCid],
    ['getBlocks', 'blockUris', ofActor, byCid],
    ['getActorLikes', 'likes', ofActor, byCid],
    ['getLikesBySubject', 'uris', ofSubject, byCid],
    ['getLikesBySubjectSorted', 'uris', ofSubject, byCid],
    ['getRepostsBySubject', 'uris', ofSubject, byCid],
    ['getActorReposts', 'uris', ofActor, byCid],
    ['getQuotesBySubjectSorted', 'uris', ofSubject, byCid],
    ['getListMembers', 'listitems', () => ({ listUri }), byCid],
    ['getActorBookmarks', 'bookmarks', ofActor, byKey],
    ['getActivitySubscriptionDids', 'dids', ofActor, byKey],
  ] as const)('%s', async (name, field, of, cursorOf) => {
    const read = async (cursor: string, limit: number) => {
      const page = await dataplane.calls[name]!({ ...of(), limit, cursor })
      return { items: page[field] as unknown[], cursor: page['cursor'] as string }
    }
    const all = (await read('', 100)).items
    expect(all).toHaveLength(people.length)
    const rest = await read(cursorOf(), 100)
    expect(rest.items).toEqual(all.slice(-OLDER))
    const begun = await read(cursorOf(), 2)
    const ended = await read(begun.cursor, 100)
    expect([...begun.items, ...ended.items]).toEqual(rest.items)
  })
})

test('mutes say which parts of an account are muted', async () => {
  const { mutes } = (await dataplane.calls['getMutes']!({ actorDid: vera, limit: 100 })) as {
    mutes: { did: string; onlyReposts: boolean; onlyQuoteposts: boolean }[]
  }
  const reported = mutes.map(({ did, onlyReposts, onlyQuoteposts }) => [
    did,
    onlyReposts,
    onlyQuoteposts,
  ])
  expect(reported.toReversed()).toEqual(people.map((did, i) => [did, i % 2 === 1, i % 3 === 2]))
})
