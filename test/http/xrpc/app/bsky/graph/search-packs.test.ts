// Starter packs searched by name, in both versions of the method, and suggested starter packs.

import { afterEach, describe, expect, test } from 'vitest'
import { didOf } from '../../../../../support/records.ts'
import {
  allPages,
  createServingWorld,
  type ServingOptions,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'

const V1 = 'app.bsky.graph.searchStarterPacks'
const V2 = 'app.bsky.graph.searchStarterPacksV2'

type Answer = { starterPacks: { uri: string; feeds?: unknown[] }[]; cursor?: string }

const [alice, bob] = ['alice', 'bob'].map(didOf) as [string, string]

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

function start(options: ServingOptions = {}): ServingWorld {
  world = createServingWorld({ scope: 'network', members: ['alice'], ...options })
  for (const did of [alice, bob]) world.profile(did, {})
  return world
}

function pack(w: ServingWorld, did: string, name: string): string {
  const list = w.list(did, 'people', 'app.bsky.graph.defs#referencelist')
  const record = { name, list: list.uri, createdAt: w.isoNow() }
  return w.write({ did, collection: 'app.bsky.graph.starterpack', record }).uri
}

describe.each([V1, V2])('%s', (nsid) => {
  test('finds every pack with the text in its name, page by page', async () => {
    const w = start()
    const cats = ['Cat people', 'more cats', 'CATS!'].map((name) => pack(w, bob, name))
    pack(w, bob, 'Dogs')
    const read = (cursor?: string) => w.get<Answer>(nsid, { q: 'cat', limit: 1, cursor })
    const found = await allPages(read, ({ starterPacks }) => starterPacks)
    expect(found.map(({ uri }) => uri).sort()).toEqual(cats.sort())
    expect(found[0]!.feeds !== undefined).toBe(nsid === V2)
    for (const q of ['nothing', '%', '" OR 1=1', ' ']) {
      expect((await w.get<Answer>(nsid, { q })).starterPacks, q).toEqual([])
    }
  })

  test('leaves out packs whose creator is in a block with the viewer', async () => {
    const w = start()
    pack(w, bob, 'Cats')
    const own = pack(w, alice, 'My cats')
    w.block(bob, alice)
    const { starterPacks } = await w.get<Answer>(nsid, { q: 'cats' }, alice)
    expect(starterPacks.map(({ uri }) => uri)).toEqual([own])
    expect((await w.get<Answer>(nsid, { q: 'cats' })).starterPacks).toHaveLength(2)
  })
})

test('getStarterPacksWithMembership ends early when its time is up: packs are large', async () => {
  let clockMs = 0
  let tickMs = 0
  const w = start({
    threadMs: () => {
      clockMs += tickMs
      return clockMs
    },
  })
  const made = Array.from({ length: 60 }, (_, i) => pack(w, alice, `cats ${i}`))
  // Each look at the clock finds the time of a turn gone.
  tickMs = 30
  const sizes: number[] = []
  const read = async (cursor?: string) => {
    const query = { actor: bob, limit: 60, cursor }
    const page = await w.get<Own>('app.bsky.graph.getStarterPacksWithMembership', query, alice)
    sizes.push(page.starterPacksWithMembership.length)
    return page
  }
  const found = await allPages(read, ({ starterPacksWithMembership }) => starterPacksWithMembership)
  expect(found.map(({ starterPack }) => starterPack.uri).sort()).toEqual(made.sort())
  expect(Math.max(...sizes)).toBe(10)
  tickMs = 0
  expect((await read()).starterPacksWithMembership).toHaveLength(60)
})

type Own = { starterPacksWithMembership: { starterPack: { uri: string } }[]; cursor?: string }

describe.each([
  'app.bsky.unspecced.getSuggestedStarterPacks',
  'app.bsky.unspecced.getOnboardingSuggestedStarterPacks',
])('%s', (nsid) => {
  test.each([
    ['blocks', alice, bob],
    ['is blocked by', bob, alice],
  ])('leaves out packs by accounts that the viewer %s', async (_, by, whom) => {
    const w = start()
    const [theirs, own] = [pack(w, bob, 'Cats'), pack(w, alice, 'My cats')]
    const visible = async (viewer?: string) =>
      (await w.get<Answer>(nsid, {}, viewer)).starterPacks.map(({ uri }) => uri).sort()
    expect(await visible(alice)).toEqual([theirs, own].sort())
    w.block(by, whom)
    expect(await visible(alice)).toEqual([own])
    expect(await visible()).toEqual([theirs, own].sort())
  })
})
