// Mentions from before a member joined: found in the stored posts, and removed with them.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { sql as mentionsSql } from '../../../../../../src/data/store/migrations/001-025/020-mentions.ts'
import { tendSearch } from '../../../../../../src/ingest/indexing/search/search-upkeep.ts'
import { notificationsOf } from '../../../../../support/notifications.ts'
import { didOf } from '../../../../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../../../../support/serving-world.ts'

const [alice, bob, newcomer] = ['alice', 'bob', 'newcomer'].map(didOf) as [string, string, string]

let w: ServingWorld
beforeEach(() => {
  w = createServingWorld({ scope: 'community', members: ['alice'] })
  for (const did of [alice, bob]) w.profile(did, { displayName: did.slice(-4) })
  w.follow(alice, bob)
})
afterEach(() => w.dispose())

const mention = (...dids: string[]) =>
  dids.map((did) => ({
    index: { byteStart: 0, byteEnd: 1 },
    features: [{ $type: 'app.bsky.richtext.facet#mention', did }],
  }))

async function notifiedNewcomer(): Promise<string[]> {
  w.member(newcomer)
  const all = await notificationsOf(w, newcomer)
  return all.map(({ reason, uri }) => `${reason} ${uri}`)
}

const indexed = () => w.db.prepare('SELECT count(*) FROM mentions').pluck().get()

test('an unknown newcomer finds their past mentions, newest first', async () => {
  const first = w.post(bob, { facets: mention(newcomer) })
  w.post(bob, { facets: mention(alice) })
  const second = w.post(alice, { facets: mention(alice, newcomer, newcomer) })
  expect(w.uid(newcomer)).toBe(0)
  expect(await notifiedNewcomer()).toEqual([`mention ${second.uri}`, `mention ${first.uri}`])
})

test('a reply that mentions the member notifies once, as a mention', async () => {
  w.profile(newcomer, { displayName: 'Newcomer' })
  const requested = w.post(newcomer, { facets: mention(bob), reply: { parent: w.post(bob) } })
  const reply = w.post(bob, { reply: { parent: requested }, facets: mention(newcomer) })
  const all = await notifiedNewcomer()
  expect(all.filter((value) => value.endsWith(reply.uri))).toEqual([`mention ${reply.uri}`])
})

test('a deleted or edited post no longer mentions anyone', async () => {
  const gone = w.post(bob, { facets: mention(newcomer) })
  const changed = w.post(bob, { facets: mention(newcomer) })
  w.delete(gone)
  const [did, collection, rkey] = changed.uri.slice('at://'.length).split('/') as string[]
  const record = { text: 'nobody', createdAt: new Date(w.now()).toISOString() }
  w.write({ did: did!, collection: collection!, rkey: rkey!, record, operation: 'update' })
  expect(indexed()).toBe(0)
  expect(await notifiedNewcomer()).toEqual([])
})

test('a post with hundreds of mentions keeps only a few', () => {
  w.post(bob, { facets: mention(...Array.from({ length: 300 }, (_, i) => didOf(`many-${i}`))) })
  expect(indexed()).toBe(10)
})

test('mentions of an older database’s posts are indexed in batches', async () => {
  const posts = Array.from({ length: 400 }, (_, i) =>
    w.post(bob, { facets: i % 100 === 0 ? mention(newcomer) : [] }),
  )
  w.db.exec(`DROP TABLE mentions; ${mentionsSql}`)
  expect(indexed()).toBe(0)
  while (tendSearch({ writer: w.writer, posts: { maxPosts: 100 } }, () => true));
  expect(indexed()).toBe(4)
  expect(await notifiedNewcomer()).toEqual(
    [300, 200, 100, 0].map((i) => `mention ${posts[i]!.uri}`),
  )
})
