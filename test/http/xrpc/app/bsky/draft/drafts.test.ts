// Drafts and the other private data of members: preferences and mute scopes. Also the answers that are the
// same for every account.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { isValidTid } from '@atproto/syntax'
import { afterEach, expect, test } from 'vitest'
import { createRandom } from '../../../../../support/random.ts'
import { didOf } from '../../../../../support/records.ts'
import { testSeed } from '../../../../../support/seed.ts'
import {
  allPages,
  createServingWorld,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'

type Draft = {
  id: string
  draft: { posts: { text: string }[] }
  createdAt: string
  updatedAt: string
}
type Page = { drafts: Draft[]; cursor?: string }
type Viewer = { muted: boolean; mutedOnlyReposts: boolean; mutedOnlyQuoteposts: boolean }
type Feed = { feed: { post: { uri: string }; reason?: object }[] }

const NS = 'app.bsky.draft'
const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

function start(): ServingWorld {
  world = createServingWorld({ scope: 'network', members: ['alice', 'bob'] })
  for (const did of [alice, bob, carol]) world.profile(did, { displayName: did.slice(-4) })
  return world
}

test('drafts are created, updated and deleted, latest change first, per member', async () => {
  const w = start()
  const random = createRandom(testSeed('drafts'))
  const model = new Map<string, { id: string; text: string }[]>(
    [alice, bob].map((did) => [did, []]),
  )
  for (let i = 0; i < 80; i++) {
    const did = random.pick([alice, bob])
    const own = model.get(did)!
    const text = `text ${i}`
    const draft = { posts: [{ text }] }
    w.tick()
    const before = own.length > 0 ? random.pick(own) : undefined
    const others = own.filter((item) => item !== before)
    if (!before || random.chance(0.5)) {
      const { body } = await w.tell(`${NS}.createDraft`, { draft }, did)
      const { id } = body as { id: string }
      expect(isValidTid(id)).toBe(true)
      own.push({ id, text })
    } else if (random.chance(0.6)) {
      await w.tell(`${NS}.updateDraft`, { draft: { id: before.id, draft } }, did)
      model.set(did, [...others, { id: before.id, text }])
    } else {
      await w.tell(`${NS}.deleteDraft`, { id: before.id }, did)
      model.set(did, others)
    }
  }
  // Another member's draft, and one that does not exist.
  const foreign = { id: model.get(bob)![0]!.id, draft: { posts: [{ text: 'mine now' }] } }
  expect((await w.tell(`${NS}.updateDraft`, { draft: foreign }, alice)).status).toBe(200)
  expect((await w.tell(`${NS}.deleteDraft`, { id: foreign.id }, alice)).status).toBe(200)
  for (const [did, own] of model) {
    const drafts = await allPages(
      async (from) => {
        const { cursor, ...page } = await w.get<Page>(
          `${NS}.getDrafts`,
          { limit: 3, cursor: from },
          did,
        )
        // As in the reference, the last page has an empty cursor.
        expect(cursor).toBeTypeOf('string')
        return { ...page, cursor: cursor || undefined }
      },
      (page) => page.drafts,
    )
    const visible = drafts.map(({ id, draft }) => ({ id, text: draft.posts[0]!.text }))
    expect(visible).toEqual(own.toReversed())
  }
  expect((await w.ask(`${NS}.getDrafts`, { cursor: '12__x' }, alice)).status).toBe(400)
})

test('limits the number of drafts', async () => {
  const w = start()
  const draft = { posts: [{ text: 'again' }] }
  for (let i = 0; i < 500; i++) {
    expect((await w.tell(`${NS}.createDraft`, { draft }, alice)).status).toBe(200)
  }
  const { status, body } = await w.tell(`${NS}.createDraft`, { draft }, alice)
  expect([status, (body as { error: string }).error]).toEqual([400, 'DraftLimitReached'])
})

test('limits the total size of drafts, however few', async () => {
  const w = start()
  const draftOf = (length: number) => ({
    posts: [{ text: 'again' }],
    deviceName: 'x',
    langs: [],
    note: 'n'.repeat(length),
  })
  const create = (length: number) => w.tell(`${NS}.createDraft`, { draft: draftOf(length) }, alice)
  const statuses = []
  let last = ''
  for (let i = 0; i < 50; i++) {
    const { status, body } = await create(95_000)
    statuses.push(status)
    if (status === 200) last = (body as { id: string }).id
    else expect((body as { error: string }).error).toBe('DraftLimitReached')
  }
  const taken = statuses.filter((status) => status === 200).length
  expect(taken * 95_000).toBeLessThan(4 << 20)
  expect(statuses.lastIndexOf(200)).toBe(taken - 1)
  // Existing drafts can still be updated, and shortening one frees room. Other members have their
  // own limit.
  const update = (length: number) =>
    w.tell(`${NS}.updateDraft`, { draft: { id: last, draft: draftOf(length) } }, alice)
  expect((await update(95_000)).status).toBe(200)
  expect((await update(10)).status).toBe(200)
  expect((await create(90_000)).status).toBe(200)
  expect((await update(95_000)).status).toBe(400)
  expect((await w.tell(`${NS}.createDraft`, { draft: draftOf(95_000) }, bob)).status).toBe(200)
})

test('drafts that are sent at once share one limit', async () => {
  world = createServingWorld({
    scope: 'network',
    members: ['alice'],
    // The ingest thread is another one.
    throughWriter: (writer) => ({
      async send(request) {
        await nextTurn()
        await writer.send(request)
      },
    }),
  })
  const draft = { posts: [{ text: 'again' }], note: 'n'.repeat(95_000) }
  const create = () => world!.tell(`${NS}.createDraft`, { draft }, alice)
  const answers = await Promise.all(Array.from({ length: 60 }, create))
  const taken = answers.filter(({ status }) => status === 200).length
  expect(taken).toBeGreaterThan(10)
  expect(taken * 95_000).toBeLessThan(4 << 20)
})

test.each([
  [
    'app.bsky.graph.muteActor',
    () => ({ actor: carol }),
    'mutes',
    'subject, scope, created_at',
    '0, 0',
  ],
  [
    'app.bsky.graph.muteThread',
    (w: ServingWorld) => ({ root: w.post(carol, 'root').uri }),
    'thread_mutes',
    'root, created_at',
    '0',
  ],
])('%s is limited per member', async (nsid, inputOf, table, columns, rest) => {
  const w = start()
  const uid = w.actors.uidOf(alice)
  const fill = w.db.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1000000 UNION ALL SELECT i + 1 FROM n LIMIT ?)
      INSERT INTO ${table} (uid, ${columns}) SELECT ?, i, ${rest} FROM n`,
  )
  fill.run(19_999, uid)
  const input = inputOf(w)
  expect((await w.tell(nsid, input, alice)).status).toBe(200)
  expect((await w.tell(nsid, input, alice)).status).toBe(400)
  expect((await w.tell(nsid, input, bob)).status).toBe(200)
})

test('preferences are empty until put, then read back', async () => {
  const w = start()
  const nsid = 'app.bsky.actor.getPreferences'
  expect(await w.get(nsid, {}, alice)).toEqual({ preferences: [] })
  const adult = { $type: 'app.bsky.actor.defs#adultContentPref', enabled: true }
  const link = { $link: 'bafyreidevqtpfplvdgaauzx6np6ezpj4gt4qtzgm7nn5zcax7pafcvtbye' }
  const future = { $type: 'app.bsky.actor.defs#somethingNewPref', value: [1, { deep: 'x', link }] }
  for (const preferences of [[adult], [future, adult], []]) {
    await w.tell('app.bsky.actor.putPreferences', { preferences }, alice)
    expect(await w.get(nsid, {}, alice)).toEqual({ preferences })
    expect(await w.get(nsid, {}, bob)).toEqual({ preferences: [] })
  }
  expect((await w.ask(nsid)).status).toBe(401)
})

test('a mute covers reposts, quote posts, both or everything', async () => {
  const w = start()
  w.follow(alice, bob)
  const other = w.post(carol)
  const [plain, quote] = [w.post(bob), w.post(bob, { quote: other })]
  const list = w.post(bob, { embed: embedOf(w.list(carol, 'a list')) })
  w.repost(bob, other)
  const all = { plain, quote, list, repost: other }
  const visible = async () => {
    const { feed } = await w.get<Feed>('app.bsky.feed.getTimeline', {}, alice)
    const uris = feed.map(({ post }) => post.uri)
    return Object.entries(all).flatMap(([name, { uri }]) => (uris.includes(uri) ? [name] : []))
  }
  const reported = async () => {
    const query = { actor: bob }
    const { viewer } = await w.get<{ viewer: Viewer }>('app.bsky.actor.getProfile', query, alice)
    return [viewer.muted, viewer.mutedOnlyReposts, viewer.mutedOnlyQuoteposts]
  }
  const muted = async () =>
    (await w.get<{ mutes: unknown[] }>('app.bsky.graph.getMutes', {}, alice)).mutes.length
  const cases = [
    [{ onlyReposts: true }, ['plain', 'quote', 'list'], [false, true, false], 0],
    [{ onlyQuoteposts: true }, ['plain', 'list', 'repost'], [false, false, true], 0],
    [{ onlyReposts: true, onlyQuoteposts: true }, ['plain', 'list'], [false, true, true], 0],
    [{}, [], [true, false, false], 1],
    [{ onlyReposts: true }, ['plain', 'quote', 'list'], [false, true, false], 0],
  ] as const
  for (const [scope, feed, viewer, count] of cases) {
    await w.tell('app.bsky.graph.muteActor', { actor: bob, ...scope }, alice)
    expect([await visible(), await reported(), await muted()]).toEqual([feed, viewer, count])
  }
  await w.tell('app.bsky.graph.unmuteActor', { actor: bob }, alice)
  expect([await visible(), await reported()]).toEqual([Object.keys(all), [false, false, false]])
})

function embedOf(record: { uri: string; cid: string }) {
  return { $type: 'app.bsky.embed.record', record }
}

test('age assurance is unknown, and no region requires it', async () => {
  const w = start()
  const query = { countryCode: 'GB' }
  expect(await w.get('app.bsky.ageassurance.getConfig')).toEqual({ regions: [] })
  expect(await w.get('app.bsky.ageassurance.getState', query, alice)).toMatchObject({
    state: { status: 'unknown', access: 'unknown' },
    metadata: { accountCreatedAt: expect.any(String) },
  })
  expect(await w.get('app.bsky.unspecced.getAgeAssuranceState', {}, alice)).toEqual({
    status: 'unknown',
  })
  expect(await w.get('app.bsky.unspecced.getConfig')).toEqual({
    checkEmailConfirmed: false,
    topicsEnabled: true,
  })
})
