import { afterEach, describe, expect, test } from 'vitest'
import { type ModelItem, modelPages, newestFirst } from '../../../../../support/feed-model.ts'
import { createRandom, type Random } from '../../../../../support/random.ts'
import { didOf } from '../../../../../support/records.ts'
import { testSeed } from '../../../../../support/seed.ts'
import {
  allPages,
  createServingWorld,
  type ServingOptions,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'
import type { RecordId } from '../../../../../support/world.ts'

const NSID = 'app.bsky.feed.getTimeline'

type View = { post: { uri: string; cid: string }; reason?: { $type: string; uri?: string } }
type Timeline = { feed: View[]; cursor?: string; startCursor?: string }

const [alice, bob, carol, dan, erin] = ['alice', 'bob', 'carol', 'dan', 'erin'].map(didOf) as [
  string,
  string,
  string,
  string,
  string,
]
const keyOf = (view: View) => view.reason?.uri ?? view.post.uri

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

function start(options: ServingOptions = {}): ServingWorld {
  world = createServingWorld(options)
  return world
}

const read = (
  w: ServingWorld,
  query: Record<string, string | number | undefined>,
  viewer = alice,
) => w.get<Timeline>(NSID, query, viewer)
const keys = ({ feed }: Timeline) => feed.map(keyOf)

describe('content', () => {
  test('shows own posts and posts and reposts of followed accounts, newest first', async () => {
    const w = start({ members: ['alice'], scope: 'network' })
    w.follow(alice, bob)
    const stranger = w.post(carol)
    const first = w.post(bob)
    const own = w.post(alice)
    const repost = w.repost(bob, stranger)
    w.post(dan)

    const page = await read(w, {})

    expect(keys(page)).toEqual([repost.uri, own.uri, first.uri])
    expect(page.feed[0]!.post.uri).toBe(stranger.uri)
    expect(page.feed[0]!.reason?.$type).toBe('app.bsky.feed.defs#reasonRepost')
    expect(page.cursor).toBeUndefined()
  })

  test('refuses visitors, and is empty for an unknown account', async () => {
    const w = start()

    const visitor = await w.ask(NSID)
    expect(visitor.status).toBe(401)
    expect(visitor.body['error']).toBe('AuthMissing')

    expect(await read(w, {}, didOf('nobody'))).toEqual({ feed: [] })
  })

  test('leaves out items of blocked or muted accounts, and replies to blocked posts', async () => {
    const w = start({ members: ['alice'] })
    for (const did of [bob, carol, dan]) w.follow(alice, did)
    const ofCarol = w.post(carol)
    const ofDan = w.post(dan)
    const visible = w.post(bob)
    w.post(bob, { reply: { parent: ofCarol } })
    const belowMuted = w.post(bob, { reply: { parent: ofDan } })
    w.repost(bob, ofCarol)
    w.repost(bob, ofDan)
    w.block(carol, alice)
    w.mute(alice, dan)

    expect(keys(await read(w, {}))).toEqual([belowMuted.uri, visible.uri])
  })

  test('leaves out deleted posts, their reposts, and inactive accounts', async () => {
    const w = start({ members: ['alice'] })
    for (const did of [bob, carol]) w.follow(alice, did)
    const gone = w.post(bob)
    w.repost(bob, gone)
    const stored = w.post(bob)
    w.post(carol)
    w.delete(gone)
    w.status(carol, 'deactivated')

    expect(keys(await read(w, {}))).toEqual([stored.uri])

    w.status(carol)
    expect(keys(await read(w, {}))).toHaveLength(2)
  })

  test('keeps a reply whose root is gone, with a tombstone', async () => {
    const w = start({ members: ['alice'] })
    w.follow(alice, bob)
    const root = w.post(carol)
    const reply = w.post(bob, { reply: { parent: root } })
    w.delete(root)

    const page = await read(w, {})

    expect(keys(page)).toEqual([reply.uri])
    expect(JSON.stringify(page)).toContain('app.bsky.feed.defs#notFoundPost')
  })

  test('sends the rev of the last own write applied, never one older than the body', async () => {
    const w = start({ members: ['alice'] })
    w.follow(alice, bob)
    const before = (await w.ask(NSID, {}, alice)).headers.get('atproto-repo-rev')
    w.post(alice)
    const after = (await w.ask(NSID, {}, alice)).headers.get('atproto-repo-rev')
    const last = w.world.sent.at(-1)

    expect(before! < after!).toBe(true)
    expect(after).toBe(last?.kind === 'commit' ? last.rev : undefined)
    expect((await w.ask(NSID, {}, didOf('nobody'))).headers.has('atproto-repo-rev')).toBe(false)
  })

  test('asks the writer, once, for missing posts that a page refers to', async () => {
    const w = start({ members: ['alice'] })
    w.follow(alice, bob)
    const missing = { uri: `at://${carol}/app.bsky.feed.post/3aaaaaaaaaaaa`, cid: w.post(dan).cid }
    w.post(bob, { reply: { parent: missing } })

    await read(w, {})
    await read(w, {})

    const fetchRequests = w.sent.filter(({ kind }) => kind === 'fetch-requested')
    expect(fetchRequests).toHaveLength(1)
    expect(fetchRequests[0]).toMatchObject({ did: alice, uris: [missing.uri] })
  })
})

describe('parameters', () => {
  test.each([
    'rubbish',
    '__',
    '1700000000000',
    '1700000000000__',
    '1700000000000__notacid',
    'x__bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a',
    '01__bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a',
    '99999999999999999__bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a',
    '1700000000000__bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a__more',
    '1700000000000__bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2',
  ])('refuses the cursor %s', async (cursor) => {
    const w = start({ members: ['alice'] })
    for (const name of ['cursor', 'since']) {
      const { status, body } = await w.ask(NSID, { [name]: cursor }, alice)
      expect(status).toBe(400)
      expect(body['error']).toBe('InvalidRequest')
    }
  })

  test('answers the cursor of the oldest clients with an empty page, as the reference does', async () => {
    const w = start({ members: ['alice'] })
    w.post(alice)

    expect(await read(w, { cursor: '1700000000000::bafy' })).toEqual({ feed: [] })
  })

  test.each([{ limit: 0 }, { limit: 101 }, { limit: 'x' }])('refuses %o', async (query) => {
    const { status, body } = await start({ members: ['alice'] }).ask(NSID, query, alice)
    expect([status, body['error']]).toEqual([400, 'InvalidRequest'])
  })

  test('ignores unknown algorithms and parameters', async () => {
    const w = start({ members: ['alice'] })
    const post = w.post(alice)

    const page = await read(w, { algorithm: 'reverse-chronological', shiny: 'new' })

    expect(keys(page)).toEqual([post.uri])
  })
})

describe('since and startCursor', () => {
  test('return items newer than the newest one held, and since itself at the end', async () => {
    const w = start({ members: ['alice'] })
    w.follow(alice, bob)
    const old = Array.from({ length: 5 }, () => w.post(bob).uri).reverse()
    const before = await read(w, {})
    expect(keys(before)).toEqual(old)
    const fresh = Array.from({ length: 5 }, () => w.post(bob).uri).reverse()

    const since = before.startCursor
    const first = await read(w, { since, limit: 3 })
    const second = await read(w, { since, limit: 3, cursor: first.cursor })
    const nothing = await read(w, { since: first.startCursor })

    expect([...keys(first), ...keys(second)]).toEqual(fresh)
    expect(first.cursor).not.toBe(since)
    expect(second.cursor).toBe(since)
    expect(nothing).toEqual({ feed: [], cursor: first.startCursor })
    expect(keys(await read(w, { cursor: since }))).toEqual(old.slice(1))
  })

  test('end at the bound even where everything above it is filtered out', async () => {
    const w = start({ members: ['alice'] })
    for (const did of [bob, carol]) w.follow(alice, did)
    w.post(bob)
    const { startCursor: since } = await read(w, {})
    for (let i = 0; i < 5; i++) w.post(carol)
    w.block(alice, carol)

    expect(await read(w, { since, limit: 2 })).toMatchObject({ feed: [], cursor: since })
  })
})

/** Accounts that post and repost within few distinct milliseconds, so that ties are common. */
function randomTimeline(random: Random, options: ServingOptions) {
  const w = start({ ...options, members: ['alice', 'eve', 'mallory'] })
  const authors = Array.from({ length: 6 }, (_, i) => didOf(`author${i}`))
  for (const author of authors) {
    w.follow(alice, author)
    if (random.chance(0.5)) w.follow(didOf('eve'), author)
    if (random.chance(0.5)) w.follow(didOf('mallory'), author)
  }
  w.follow(alice, didOf('author6'))
  const items = new Map<string, ModelItem>()
  const base = w.now() - 10_000

  function write(originator: string): void {
    const sortAt = base + random.below(60) * 7
    const createdAt = new Date(sortAt).toISOString()
    const posts = [...items.values()].filter(({ key }) => key.includes('/app.bsky.feed.post/'))
    const isRepost = posts.length > 0 && random.chance(0.3)
    const subject = isRepost ? toRecord(random.pick(posts)) : undefined
    const made = subject
      ? w.create(originator, 'app.bsky.feed.repost', { subject, createdAt })
      : w.post(originator, { text: `${random.next()}`, createdAt })
    items.set(made.uri, { key: made.uri, originator, sortAt, cid: made.cid })
  }

  function removeOne(): string | undefined {
    const reposted = new Set(w.world.sent.flatMap(subjectOf))
    const free = [...items.keys()].filter((key) => !reposted.has(key))
    if (free.length === 0) return undefined
    const key = random.pick(free)
    items.delete(key)
    w.delete(key)
    return key
  }

  return { w, authors, items, write, removeOne }
}

const toRecord = ({ key, cid }: ModelItem): RecordId => ({ uri: key, cid })

function subjectOf(event: { kind: string; record?: unknown }): string[] {
  const subject = (event.record as { subject?: { uri?: string } } | undefined)?.subject
  return subject?.uri ? [subject.uri] : []
}

const worlds: [string, ServingOptions][] = [
  ['a ring that holds everything', {}],
  ['a ring shorter than the history', { timelineLength: 50 }],
  ['celebrities beside the ring', { celebrityThreshold: 2 }],
  ['celebrities and a short ring', { timelineLength: 50, celebrityThreshold: 2 }],
]

describe.each(worlds)('with %s', (_name, options) => {
  test.each([true, false])(
    'paging to the end matches the naive list (ring open: %s)',
    async (open) => {
      const random = createRandom(testSeed('getTimeline paging'))
      const { w, authors, items, write } = randomTimeline(random, options)
      for (let i = 0; i < 300; i++) write(random.chance(0.1) ? alice : random.pick(authors))
      if (!open) w.timelines.close(w.uid(alice))
      const all = [...items.values()]
      const followed = all.filter(({ originator }) => originator !== alice)
      const own = all.filter(({ originator }) => originator === alice)

      for (const limit of [1, 3, 10, 17, 50, 100]) {
        const pages: string[][] = []
        await allPages(async (cursor) => {
          const page = await read(w, { limit, cursor })
          pages.push(keys(page))
          return page
        }, keys)
        expect(pages).toEqual(modelPages({ followed, own, limit }))
      }
    },
  )

  test('neither skips nor repeats items under concurrent changes', async () => {
    const random = createRandom(testSeed('getTimeline changes'))
    const { w, authors, items, write, removeOne } = randomTimeline(random, options)
    for (let i = 0; i < 250; i++) write(random.pick(authors))
    const before = new Set(items.keys())
    const limit = 1 + random.below(20)

    const seen = await allPages(async (cursor) => {
      const page = await read(w, { limit, cursor })
      for (let i = random.below(6); i > 0; i--) {
        if (random.chance(0.6)) write(random.pick(authors))
        else before.delete(removeOne() ?? '')
      }
      return page
    }, keys)

    expect(new Set(seen).size).toBe(seen.length)
    expect([...before].filter((key) => !seen.includes(key))).toEqual([])
  })

  test('since cuts any list at any point', async () => {
    const random = createRandom(testSeed('getTimeline since'))
    const { w, authors, items, write } = randomTimeline(random, options)
    for (let i = 0; i < 150; i++) write(random.pick(authors))
    const sorted = [...items.values()].sort(newestFirst)

    for (let turn = 0; turn < 10; turn++) {
      const bound = random.below(sorted.length)
      const since = `${sorted[bound]!.sortAt}__${sorted[bound]!.cid}`
      const limit = 1 + random.below(40)
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await read(w, { limit, cursor, since })
        seen.push(...keys(page))
        cursor = page.cursor
      } while (cursor !== since)
      expect(seen).toEqual(sorted.slice(0, bound).map(({ key }) => key))
    }
  })
})

test('fills a page with the items after the filtered ones', async () => {
  const w = start({ members: ['alice'] })
  for (const did of [bob, carol]) w.follow(alice, did)
  const visible = Array.from({ length: 12 }, () => {
    w.post(carol)
    return w.post(bob).uri
  }).reverse()
  w.block(alice, carol)

  const page = await read(w, { limit: 10 })

  expect(keys(page)).toEqual(visible.slice(0, 10))
  expect(await allPages((cursor) => read(w, { limit: 5, cursor }), keys)).toEqual(visible)
})

test('own items that found no place on a page lead to no empty one', async () => {
  const w = start({ members: ['alice'] })
  w.follow(alice, bob)
  w.post(bob)
  for (let i = 0; i < 14; i++) w.post(alice)
  const { feed, cursor } = await read(w, { limit: 11 })
  expect([feed.length, cursor]).toEqual([11, undefined])
  const first = await read(w, { limit: 1 })
  expect(keys(await read(w, { limit: 11, cursor: first.cursor }))).toHaveLength(11)
})

describe('identical records of two accounts at one time', () => {
  /**
   * Each has an older post below them, and bob a newer one above. Reposts of one post at one moment
   * are the same record, hence of one CID, in two repositories.
   */
  function startWithTwins() {
    const w = start({ members: ['alice'], scope: 'network' })
    for (const did of [bob, carol]) w.follow(alice, did)
    const createdAt = new Date(w.now() - 1000).toISOString()
    for (const did of [bob, carol]) {
      w.post(did, { text: 'older', createdAt: new Date(w.now() - 2000).toISOString() })
    }
    const subject = w.post(dan)
    const twins = [bob, carol].map((did) => {
      const [event] = w.hold(() => w.create(did, 'app.bsky.feed.repost', { subject, createdAt }))
      return event!
    })
    const cid = (twins[0] as { cid: string }).cid
    w.apply(twins.map((event) => ({ ...event, cid }) as typeof event))
    w.post(bob)
    return w
  }

  test('do not hide each other across pages', async () => {
    const w = startWithTwins()
    const seen = await allPages((cursor) => read(w, { limit: 2, cursor }), keys)
    expect(new Set(seen).size).toBe(5)
    expect(seen).toHaveLength(5)
  })

  test('nor do more of them than a page holds, and old cursors stay valid', async () => {
    const w = startWithTwins()
    const seen = await allPages((cursor) => read(w, { limit: 1, cursor }), keys)
    expect(new Set(seen).size).toBe(5)
    expect(seen).toHaveLength(5)
    const { cursor } = await read(w, { limit: 2 })
    expect(cursor).toMatch(/^\d+__b[a-z2-7]+__\d+$/)
    const old = cursor!.split('__', 2).join('__')
    expect(keys(await read(w, { limit: 2, cursor: old }))).toEqual(seen.slice(3))
    const status = (text: string) => w.ask(NSID, { cursor: text }, alice)
    for (const bad of [`${old}__`, `${old}__0`, `${old}__x`, `${old}__1__1`]) {
      expect((await status(bad)).status).toBe(400)
    }
  })

  test('nor where filtering leaves room on a page for only one of them', async () => {
    const w = startWithTwins()
    w.follow(alice, erin)
    w.post(erin)
    w.block(alice, erin)
    const seen = await allPages((cursor) => read(w, { limit: 2, cursor }), keys)
    expect(new Set(seen).size).toBe(5)
    expect(seen).toHaveLength(5)
  })
})

test('a lossy timeline reads the same from its ring and from rows', async () => {
  const random = createRandom(testSeed('getTimeline lossy'))
  const { w, authors, write } = randomTimeline(random, { reasonableLimit: 3 })
  for (let i = 0; i < 200; i++) write(random.pick(authors))

  const fromRing = await allPages((cursor) => read(w, { limit: 20, cursor }), keys)
  w.timelines.close(w.uid(alice))
  const fromRows = await allPages((cursor) => read(w, { limit: 20, cursor }), keys)

  expect(fromRows).toEqual(fromRing)
  expect(fromRing.length).toBeGreaterThan(40)
  expect(fromRing.length).toBeLessThan(160)
})
