// Starter packs: their content, whom they show, who joined through them, and which of one's own an account is
// in.

import { afterEach, describe, expect, test } from 'vitest'
import { didOf } from '../../../../../support/records.ts'
import {
  allPages,
  createServingWorld,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'
import type { RecordId } from '../../../../../support/world.ts'

const PACK = 'app.bsky.graph.starterpack'
const [alice, bob, carol, dan] = ['alice', 'bob', 'carol', 'dan'].map(didOf) as [
  string,
  string,
  string,
  string,
]
const REFERENCE = 'app.bsky.graph.defs#referencelist'

type Basic = { uri: string; joinedAllTimeCount: number; joinedWeekCount: number }
type Full = Basic & {
  list?: { uri: string; listItemCount: number }
  feeds: { uri: string }[]
  listItemsSample: { uri: string; subject: { did: string } }[]
}

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

function start(): ServingWorld {
  world = createServingWorld({ scope: 'network', members: ['alice', 'bob'] })
  for (const did of [alice, bob, carol, dan]) world.profile(did, { displayName: 'somebody' })
  return world
}

function packBy(w: ServingWorld, did: string, people: string[], feeds: RecordId[] = []) {
  const list = w.list(did, 'people', REFERENCE)
  const items = people.map((subject) => w.listItem(did, list, subject))
  const record = {
    name: 'Nice people',
    list: list.uri,
    createdAt: w.isoNow(),
    feeds: feeds.map(({ uri }) => ({ uri })),
  }
  return { list, items, pack: w.write({ did, collection: PACK, record }) }
}

describe('getStarterPack', () => {
  const get = (w: ServingWorld, { uri }: RecordId, viewer?: string) =>
    w.get<{ starterPack: Full }>('app.bsky.graph.getStarterPack', { starterPack: uri }, viewer)

  test('shows its list, its feeds and its most followed members first', async () => {
    const w = start()
    const record = { did: 'did:web:feeds.test', displayName: 'Cats', createdAt: w.isoNow() }
    const feed = w.write({ did: carol, collection: 'app.bsky.feed.generator', record })
    const { pack, list, items } = packBy(w, bob, [carol, dan, alice], [feed])
    w.follow(alice, dan)
    w.follow(bob, dan)
    w.follow(bob, alice)
    const { starterPack } = await get(w, pack, alice)
    expect(starterPack).toMatchObject({ uri: pack.uri, joinedAllTimeCount: 0 })
    expect(starterPack.list).toMatchObject({ uri: list.uri, listItemCount: 3 })
    expect(starterPack.feeds.map(({ uri }) => uri)).toEqual([feed.uri])
    expect(starterPack.listItemsSample.map(({ uri, subject }) => [uri, subject.did])).toEqual([
      [items[1]!.uri, dan],
      [items[2]!.uri, alice],
      [items[0]!.uri, carol],
    ])
  })

  test('shows at most twelve members, and none in a block with its creator', async () => {
    const w = start()
    const crowd = Array.from({ length: 14 }, (_, i) => w.account(`person-${i}`))
    for (const did of crowd) w.profile(did, { displayName: 'one of many' })
    const { pack } = packBy(w, bob, [carol, ...crowd])
    w.follow(alice, carol)
    const visible = async (viewer?: string) =>
      (await get(w, pack, viewer)).starterPack.listItemsSample.map(({ subject }) => subject.did)
    expect(await visible()).toHaveLength(12)
    expect((await visible())[0]).toBe(carol)
    w.block(carol, bob)
    expect(await visible()).not.toContain(carol)
    expect(await visible(bob)).toContain(carol)
  })

  test('is not found when deleted, unknown, or its creator is inactive', async () => {
    const w = start()
    const { pack } = packBy(w, bob, [carol])
    const statusOf = async (uri: string) =>
      w.ask('app.bsky.graph.getStarterPack', { starterPack: uri }, alice)
    const lost = { status: 400, body: { message: 'Starter pack not found' } }
    expect(await statusOf(`at://${bob}/${PACK}/none`)).toMatchObject(lost)
    w.status(bob, 'takendown')
    expect(await statusOf(pack.uri)).toMatchObject(lost)
    w.status(bob)
    expect(await statusOf(pack.uri)).toMatchObject({ status: 200 })
    w.delete(pack)
    expect(await statusOf(pack.uri)).toMatchObject(lost)
  })
})

test('counts profiles that joined through it, this week and in all', async () => {
  const w = start()
  const { pack } = packBy(w, bob, [carol])
  const join = (did: string, createdAt: string) =>
    w.profile(did, { displayName: 'new here', createdAt, joinedViaStarterPack: pack })
  join(w.account('new-1'), new Date().toISOString())
  join(w.account('new-2'), new Date().toISOString())
  join(w.account('old'), '2024-01-01T00:00:00.000Z')
  const { starterPacks } = await w.get<{ starterPacks: Basic[] }>(
    'app.bsky.graph.getStarterPacks',
    {
      uris: [pack.uri, `at://${bob}/${PACK}/none`],
    },
  )
  expect(starterPacks).toMatchObject([{ uri: pack.uri, joinedAllTimeCount: 3, joinedWeekCount: 2 }])
  const profile = await w.get<{ joinedViaStarterPack: Basic }>('app.bsky.actor.getProfile', {
    actor: w.account('old'),
  })
  expect(profile.joinedViaStarterPack).toMatchObject({ uri: pack.uri, joinedAllTimeCount: 3 })
})

test('getActorStarterPacks pages through an account’s packs, newest first', async () => {
  const w = start()
  const made = Array.from({ length: 5 }, () => packBy(w, bob, [carol]).pack.uri)
  packBy(w, carol, [])
  const pages = await allPages(
    (cursor) =>
      w.get<{ starterPacks: Basic[]; cursor?: string }>('app.bsky.graph.getActorStarterPacks', {
        actor: bob,
        limit: 2,
        cursor,
      }),
    ({ starterPacks }) => starterPacks,
  )
  expect(pages.map(({ uri }) => uri)).toEqual(made.reverse())
})

test('getStarterPacksWithMembership tells which of one’s own packs contain an account', async () => {
  const w = start()
  const [first, two] = [packBy(w, bob, [carol, dan]), packBy(w, bob, [dan])]
  type Entry = { starterPack: Full; listItem?: { uri: string; subject: { did: string } } }
  const page = await w.get<{ starterPacksWithMembership: Entry[] }>(
    'app.bsky.graph.getStarterPacksWithMembership',
    { actor: carol },
    bob,
  )
  expect(
    page.starterPacksWithMembership.map(({ starterPack, listItem }) => [
      ...[starterPack.uri, listItem?.uri, listItem?.subject.did],
    ]),
  ).toEqual([
    [two.pack.uri, undefined, undefined],
    [first.pack.uri, first.items[0]!.uri, carol],
  ])
})
