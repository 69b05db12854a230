// Whatever the rows contain, views satisfy the official lexicons as a strict client checks them (contract
// §B2): one bad item would cost it the whole page.

import { schemas } from '@atproto/api'
import { jsonToLex, Lexicons } from '@atproto/lexicon'
import { describe, expect, test } from 'vitest'
import { feedViewPost } from '../../../src/answers/views/posts/feed-view-post.ts'
import { postView } from '../../../src/answers/views/posts/post-view.ts'
import { profileViewDetailed } from '../../../src/answers/views/profiles/profile-view-detailed.ts'
import { profileView } from '../../../src/answers/views/profiles/profile-views.ts'
import { relationship } from '../../../src/answers/views/profiles/relationship.ts'
import type { WriteDb } from '../../../src/data/store/db.ts'
import { postItem, repostItem } from '../../../src/data/store/timelines/item-ids.ts'
import { type HydratedWorld, hydrateWorld } from '../../support/hydration.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { randomWorld } from '../../support/random-world.ts'
import type { World } from '../../support/social-world.ts'
import { writeRows } from '../../support/world-rows.ts'

const lexicons = new Lexicons(schemas)
const SEEDS = Array.from({ length: Number(process.env['SEEDS'] ?? 4) }, (_, i) => i + 1)

/** Validates the body as a method's answer, over the wire and through the client's decoder. */
function expectValid(method: string, body: object): void {
  const text = JSON.stringify(body)
  expect(() => lexicons.assertValidXrpcOutput(method, jsonToLex(JSON.parse(text)))).not.toThrow()
}

/** Paths of nulls outside of records, which are passed through unchanged. */
function nullsIn(value: unknown, path = ''): string[] {
  if (value === null) return [path]
  if (typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) =>
    ['record', 'value'].includes(key) && isRecord(inner) ? [] : nullsIn(inner, `${path}/${key}`),
  )
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'createdAt' in value
}

function presentEverything(
  { written, hydrator, reader }: HydratedWorld,
  world: World,
  viewerDid?: string,
) {
  const viewer = reader(viewerDid)
  const postIds = world.of('app.bsky.feed.post').map(({ uri }) => written.post(uri))
  const repostIds = world.of('app.bsky.feed.repost').map(({ uri }) => written.repost(uri))
  const items = [...postIds.map(postItem), ...repostIds.map(repostItem)]
  const uids = [...world.accounts.keys()].map((did) => written.uid(did))
  const feed = hydrator.feed(items, viewer)
  const posts = hydrator.posts(postIds, viewer)
  const profiles = hydrator.profiles(uids, viewer, { detailed: true, knownFollowers: true })
  const isThere = <T>(view: T | undefined) => view !== undefined
  return {
    feed: items.map((item) => feedViewPost(feed, item)).filter(isThere),
    posts: postIds.map((id) => postView(posts, id)).filter(isThere),
    profiles: uids.map((uid) => profileViewDetailed(profiles, uid)).filter(isThere),
    basics: uids.map((uid) => profileView(profiles, uid)).filter(isThere),
    relationships: [...world.accounts.keys()].map((did) =>
      relationship(profiles, { uid: written.uid(did), did }),
    ),
  }
}

function expectAllValid(views: ReturnType<typeof presentEverything>): void {
  expect(nullsIn(views)).toEqual([])
  for (const item of views.feed) expectValid('app.bsky.feed.getTimeline', { feed: [item] })
  for (const post of views.posts) expectValid('app.bsky.feed.getPosts', { posts: [post] })
  for (const view of views.profiles) expectValid('app.bsky.actor.getProfile', view)
  for (const subject of views.basics) {
    expectValid('app.bsky.graph.getFollows', { subject, follows: [subject] })
  }
  expectValid('app.bsky.graph.getRelationships', { relationships: views.relationships })
}

const SPOILABLE = [
  ['profiles', 'uid'],
  ['posts', 'id'],
  ['lists', 'id'],
  ['threadgates', 'post'],
  ['postgates', 'post'],
] as const

function spoilRows(
  db: WriteDb,
  random: Random,
  { table, key }: { table: string; key: string },
): void {
  const select = `SELECT ${key} AS id, CAST(record AS TEXT) AS record FROM ${table} WHERE cid IS NOT NULL`
  const update = db.prepare(`UPDATE ${table} SET record = ? WHERE ${key} = ?`)
  for (const row of db.prepare<[], { id: number; record: string }>(select).all()) {
    if (random.chance(0.5)) continue
    const record: unknown = JSON.parse(row.record)
    spoil(record, random)
    const text = random.chance(0.05) ? row.record.slice(5) : JSON.stringify(record)
    update.run(Buffer.from(text), row.id)
  }
}

/** Replaces a random field inside a record by an invalid value. */
function spoil(value: unknown, random: Random): void {
  if (typeof value !== 'object' || value === null) return
  const keys = Object.keys(value).filter((key) => key !== '$type' && key !== 'createdAt')
  if (keys.length === 0) return
  const record = value as Record<string, unknown>
  const key = random.pick(keys)
  const inner = record[key]
  if (typeof inner === 'object' && inner !== null && random.chance(0.7)) spoil(inner, random)
  else record[key] = random.pick([null, '', -1, 0.5, {}, [], 'not a cid', [null], 'x'.repeat(3000)])
}

describe.each(SEEDS)('of the world with seed %i', (seed) => {
  test('every view is valid', () => {
    const world = randomWorld(createRandom(seed), 200)
    const ours = hydrateWorld(world)
    for (const did of [undefined, ...world.accounts.keys()]) {
      expectAllValid(presentEverything(ours, world, did))
    }
    expect(ours.unusable).toEqual([])
    ours.close()
  })
})

describe.each(SEEDS)('of a world with spoilt rows, seed %i', (seed) => {
  test('every view is valid, and nothing throws', () => {
    const random = createRandom(seed)
    const world = randomWorld(random, 200)
    const ours = hydrateWorld(world, (db, complete) => {
      const written = writeRows(db, complete)
      for (const [table, key] of SPOILABLE) spoilRows(db, random, { table, key })
      return written
    })
    for (const did of [undefined, ...world.accounts.keys()]) {
      expectAllValid(presentEverything(ours, world, did))
    }
    expect(new Set(ours.unusable)).toContain('post')
    ours.close()
  })
})
