import { afterEach, describe, expect, test } from 'vitest'
import { createRandom, type Random } from '../../../../../support/random.ts'
import { didOf } from '../../../../../support/records.ts'
import { searchable } from '../../../../../support/searching.ts'
import { testSeed } from '../../../../../support/seed.ts'
import {
  allPages,
  createServingWorld,
  type ServingOptions,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'

const TYPEAHEAD = 'app.bsky.actor.searchActorsTypeahead'
const SEARCH = 'app.bsky.actor.searchActors'

type Answer = { actors: { did: string; handle: string; displayName?: string }[]; cursor?: string }

const alice = didOf('alice')

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

function start(options: ServingOptions = {}): ServingWorld {
  world = createServingWorld({ scope: 'network', members: ['alice'], ...options })
  return world
}

/** Creates an account with a handle and, where given, a display name. */
function person(w: ServingWorld, handle: string, displayName?: string): string {
  const did = didOf(handle)
  w.profile(did, displayName === undefined ? {} : { displayName })
  w.handle(did, handle)
  return did
}

function popular(w: ServingWorld, did: string, followers: number): void {
  for (let i = 0; i < followers; i++) w.follow(didOf(`fan ${i}`), did)
}

const handlesOf = ({ actors }: Answer) => actors.map(({ handle }) => handle)

async function typed(w: ServingWorld, q: string, viewer?: string, limit = 10): Promise<string[]> {
  searchable(w)
  return handlesOf(await w.get<Answer>(TYPEAHEAD, { q, limit }, viewer))
}

async function searched(w: ServingWorld, q: string, viewer?: string, limit = 3): Promise<string[]> {
  searchable(w)
  const read = (cursor?: string) => w.get<Answer>(SEARCH, { q, limit, cursor }, viewer)
  return handlesOf({ actors: await allPages(read, ({ actors }) => actors) })
}

describe('matches', () => {
  test('word beginnings in handle or name, regardless of case and accents', async () => {
    const w = start()
    person(w, 'jose.garcia.test', 'José María GARCÍA')
    for (const q of [
      'jo',
      'JOSÉ',
      'garc',
      'Maria',
      'mária gar',
      '@jose',
      'jose.gar',
      'test jos',
      'ose.g',
    ]) {
      expect(await typed(w, q), q).toEqual(['jose.garcia.test'])
      expect(await searched(w, q), q).toEqual(['jose.garcia.test'])
    }
    for (const q of ['joses', 'jose.x', 'maria jo x', 'ía', '', ' ', '"', '*', '@']) {
      expect(await typed(w, q), q).toEqual([])
    }
  })

  test('any part of a handle, ranked after handles that begin with it', async () => {
    const w = start()
    const inside = person(w, 'johnsmith.test')
    person(w, 'smithy.test')
    person(w, 'smi-th.test')
    popular(w, inside, 20)
    expect(await typed(w, 'smith')).toEqual(['smithy.test', 'johnsmith.test'])
    expect(await searched(w, 'smith', undefined, 1)).toEqual(['smithy.test', 'johnsmith.test'])
    expect(await typed(w, 'hnsm')).toEqual(['johnsmith.test'])
  })

  test('characters of a script without spaces, anywhere in the name', async () => {
    const w = start()
    person(w, 'yamada.test', '山田太郎')
    person(w, 'yamamoto.test', '山本')
    for (const q of ['山田', '田太', '太郎', '郎', '山田太郎']) {
      expect(await typed(w, q), q).toEqual(['yamada.test'])
    }
    expect((await typed(w, '山')).sort()).toEqual(['yamada.test', 'yamamoto.test'])
    expect(await typed(w, '田山')).toEqual([])
  })

  test('a DID, only when complete', async () => {
    const w = start()
    const did = person(w, 'bob.test')
    expect(await typed(w, did)).toEqual(['bob.test'])
    expect(await typed(w, did.slice(0, -1))).toEqual([])
  })
})

describe('order', () => {
  test('the exact handle first, then accounts the viewer follows, then by followers', async () => {
    const w = start()
    const [exact, friend, known, famous] = ['ann', 'ann-friend.test', 'anna.test', 'annette.test']
    person(w, `${exact}.test`)
    w.follow(alice, person(w, friend))
    popular(w, person(w, known), 9)
    popular(w, person(w, famous), 40)
    person(w, 'anne.test')
    expect(await typed(w, 'ann', alice)).toEqual([
      friend,
      famous,
      known,
      ...['ann.test', 'anne.test'],
    ])
    expect(await typed(w, 'ann.test', alice)).toEqual(['ann.test'])
    expect(await typed(w, '@ANN.test')).toEqual(['ann.test'])
    expect(await typed(w, 'ann', alice, 2)).toEqual([friend, famous])
    expect(await searched(w, 'ann', alice, 2)).toEqual(await typed(w, 'ann', alice))
  })

  test('changes with the number of followers', async () => {
    const w = start()
    const [first, second] = [person(w, 'pat-one.test'), person(w, 'pat-two.test')]
    popular(w, first, 10)
    expect(await typed(w, 'pat', undefined, 1)).toEqual(['pat-one.test'])
    popular(w, second, 40)
    expect(await typed(w, 'pat', undefined, 1)).toEqual(['pat-two.test'])
  })
})

describe('changes', () => {
  test('of follows and followers while paging: each account appears once', async () => {
    const w = start()
    const people = Array.from({ length: 6 }, (_, i) => person(w, `kim-${i}.test`))
    const follows = people.slice(0, 3).map((did) => w.follow(alice, did))
    const fans = Array.from({ length: 20 }, (_, i) => w.follow(didOf(`fan ${i}`), people[3]!))
    searchable(w)
    const found = await allPages(
      async (cursor) => {
        const page = await w.get<Answer>(SEARCH, { q: 'kim', limit: 1, cursor }, alice)
        const visible = page.actors[0]?.did
        const follow = follows[people.indexOf(visible ?? '')]
        if (follow) w.delete(follow)
        if (visible === people[3]) for (const fan of fans) w.delete(fan)
        searchable(w)
        return page
      },
      ({ actors }) => actors,
    )
    expect(found.map(({ did }) => did).sort()).toEqual([...people].sort())
  })

  test('of handle and name: only the current ones match', async () => {
    const w = start()
    const did = person(w, 'before.test', 'Earlier')
    expect(await typed(w, 'earl')).toEqual(['before.test'])
    w.handle(did, 'after.test')
    w.write({
      did,
      collection: 'app.bsky.actor.profile',
      rkey: 'self',
      operation: 'update',
      record: { displayName: 'Later' },
    })
    expect(await typed(w, 'later')).toEqual(['after.test'])
    for (const q of ['before', 'earl', 'efore']) expect(await typed(w, q), q).toEqual([])
    w.delete(`at://${did}/app.bsky.actor.profile/self`)
    expect(await typed(w, 'later')).toEqual([])
    expect(await typed(w, 'after')).toEqual(['after.test'])
  })

  test('a handle that moved to another account finds the new one', async () => {
    const w = start()
    person(w, 'shared.test')
    const heir = person(w, 'heir.test')
    w.handle(heir, 'shared.test')
    searchable(w)
    const { actors } = await w.get<Answer>(TYPEAHEAD, { q: 'shared' })
    expect(actors.map(({ did }) => did)).toEqual([heir])
  })

  test('an inactive account disappears at once', async () => {
    const w = start()
    const did = person(w, 'bob.test', 'Bob')
    expect(await typed(w, 'bob')).toEqual(['bob.test'])
    w.status(did, 'takendown')
    expect(handlesOf(await w.get<Answer>(TYPEAHEAD, { q: 'bob' }))).toEqual([])
    w.status(did)
    expect(await typed(w, 'bob')).toEqual(['bob.test'])
  })
})

test('leaves out accounts in a block with the viewer, except for an exact handle', async () => {
  const w = start()
  w.block(alice, person(w, 'bob.test'))
  w.block(person(w, 'bobby.test'), alice)
  person(w, 'bobo.test')
  expect(await typed(w, 'bob', alice)).toEqual(['bobo.test'])
  expect(await typed(w, 'bob.test', alice)).toEqual(['bob.test'])
  expect(await searched(w, 'bob.test', alice)).toEqual([])
  expect((await typed(w, 'bob')).length).toBe(3)
})

test('looks up an unknown handle only for signed-in viewers', async () => {
  const stranger = didOf('stranger')
  const w = start({ handles: { 'stranger.test': stranger } })
  await w.get(SEARCH, { q: '@Stranger.test' })
  expect(w.looked).toEqual([])
  await w.get(SEARCH, { q: '@Stranger.test' }, alice)
  await expect.poll(() => w.sent).toContainEqual(expect.objectContaining({ dids: [stranger] }))
})

test('refuses cursors that the server cannot have written', async () => {
  const w = start()
  for (const cursor of ['rubbish', '3__0', '1__-1', '1__9999999999999']) {
    expect((await w.ask(SEARCH, { q: 'a', cursor })).status, cursor).toBe(400)
  }
})

const SYLLABLES = ['an', 'na', 'ber', 'to', 'é', 'lu', 'ka', '山', 'た', 'x1']

function someName(random: Random): string {
  const word = () =>
    Array.from({ length: 1 + random.below(3) }, () => random.pick(SYLLABLES)).join('')
  return Array.from({ length: 1 + random.below(3) }, word).join(' ')
}

/** Decides by definition whether the person matches: no index, no pairs of characters. */
function isFound(person: { handle: string; name: string }, q: string): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .normalize('NFD')
      .replace(/[\u0300-\u036f]/g, '')
      .normalize('NFC')
  const wordsOf = (text: string) => plain(text).match(/[山た]+|[a-z0-9]+/g) ?? []
  const words = [...wordsOf(person.handle), ...wordsOf(person.name)]
  const requested = wordsOf(q)
  if (requested.length === 0) return false
  const isThere = (part: string) =>
    words.some((word) => (/[山た]/.test(part) ? word.includes(part) : word.startsWith(part)))
  if (requested.every(isThere)) return true
  const label = person.handle.slice(0, person.handle.lastIndexOf('.'))
  return /^[a-z0-9]{3,}$/.test(q) && label.includes(q)
}

test('finds each matching random account once across pages, and no others', async () => {
  const random = createRandom(testSeed('searchActors'))
  const w = start()
  const people = new Map<string, { handle: string; name: string }>()
  for (let i = 0; i < 120; i++) {
    const label = someName(random).replace(/[^a-z]/g, '') || 'x'
    const item = { handle: `${label}${i}.test`, name: someName(random) }
    people.set(item.handle, item)
    const did = person(w, item.handle, item.name)
    if (random.chance(0.2)) w.follow(alice, did)
    if (random.chance(0.2)) popular(w, did, random.below(30))
    if (random.chance(0.1)) searchable(w)
  }
  for (let i = 0; i < 80; i++) {
    const q = random.chance(0.7)
      ? someName(random)
      : random
          .pick([...people.values()])
          .handle.slice(1, 6)
          .replace('.', '')
    const expected = [...people.values()]
      .filter((item) => isFound(item, q))
      .map(({ handle }) => handle)
    const found = await searched(w, q, random.pick([alice, undefined]), 1 + random.below(7))
    expect(found.sort(), q).toEqual(expected.sort())
  }
})
