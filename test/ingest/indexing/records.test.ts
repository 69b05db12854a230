// Feed generators, statuses and similar records over random histories delivered twice, late and out of order,
// against a model that knows only the last write of each key; and which accounts' records are kept.

import type { StreamEvent } from '@slipstream/jetstream'
import { describe, expect, it } from 'vitest'
import { collectionCodes, type RecordCollection } from '../../../src/base/atproto/collections.ts'
import { type PackedRkey, unpackCid, unpackRkey } from '../../../src/base/atproto/keys.ts'
import type { JsonObject } from '../../../src/base/util/json-object.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { unreliably } from '../../support/random-history.ts'
import { testSeed } from '../../support/seed.ts'
import { createWorld, type RecordId, type World } from '../../support/world.ts'

const GENERATOR = 'app.bsky.feed.generator'
const CHAT = 'chat.bsky.actor.declaration'
const LIKE = 'app.bsky.feed.like'

function held(world: World): Map<string, string> {
  const names = new Map(Object.entries(collectionCodes).map(([name, code]) => [code, name]))
  const rows = world.db
    .prepare<[], { did: string; collection: number; rkey: PackedRkey; cid: Buffer }>(
      `SELECT did, collection, rkey, cid FROM records JOIN actors USING (uid) WHERE cid IS NOT NULL`,
    )
    .all()
  return new Map(
    rows.map(({ did, collection, rkey, cid }) => [
      `at://${did}/${names.get(collection as never)}/${unpackRkey(rkey)}`,
      unpackCid(cid),
    ]),
  )
}

/** Likes by at-URI, without records that have none. */
function likes(world: World): Record<string, number> {
  const rows = world.db
    .prepare<[], { did: string; rkey: PackedRkey; likes: number }>(
      `SELECT did, rkey, likes FROM records JOIN actors USING (uid) WHERE likes > 0
        AND collection = ${collectionCodes[GENERATOR]}`,
    )
    .all()
  return Object.fromEntries(
    rows.map((row) => [`at://${row.did}/${GENERATOR}/${unpackRkey(row.rkey)}`, row.likes]),
  )
}

/** The last write of each key, whatever the order of delivery, without accounts deleted since. */
function lastWords(events: StreamEvent[]): Map<string, { cid: string; record: JsonObject }> {
  const words = new Map<string, { cid: string; record: JsonObject }>()
  for (const event of events) {
    if (event.kind === 'account' && event.status === 'deleted') {
      for (const uri of words.keys()) if (uri.startsWith(`at://${event.did}/`)) words.delete(uri)
    }
    if (event.kind !== 'commit') continue
    const uri = `at://${event.did}/${event.collection}/${event.rkey}`
    if (event.operation === 'delete') words.delete(uri)
    else words.set(uri, event)
  }
  return words
}

function history(world: World, random: Random, count: number): StreamEvent[] {
  const people = Array.from({ length: 6 }, (_, i) => world.account(`person-${i}`))
  const made: RecordId[] = []
  const feeds: RecordId[] = []
  const put = (did: string, collection: string, record: JsonObject, rkey?: string) =>
    made.push(
      world.write({ did, collection, record: { ...record, createdAt: world.isoNow() }, rkey }),
    )
  const act = () => {
    const did = random.pick(people)
    const kind = random.below(10)
    if (kind < 3) {
      const record = { did: 'did:web:feeds.test', displayName: `feed ${random.below(1000)}` }
      put(did, GENERATOR, record, `feed-${random.below(4)}`)
      feeds.push(made.at(-1)!)
    } else if (kind < 4) put(did, CHAT, { allowIncoming: random.pick(['all', 'none']) }, 'self')
    else if (kind < 8 && feeds.length > 0) put(did, LIKE, { subject: random.pick(feeds) })
    else if (kind < 9 && made.length > 0) world.delete(random.pick(made.slice(-20)))
    else if (random.chance(0.2)) {
      world.status(did, 'deleted')
      world.status(did)
    }
  }
  return world.hold(() => {
    for (let i = 0; i < count; i++) act()
  })
}

describe('records', () => {
  const seed = testSeed('records')

  it.each([0, 1, 2, 3])(
    'have the last write of each key, in any order of delivery (%i)',
    (round) => {
      const random = createRandom(seed + round)
      const world = createWorld({ scope: 'network' })
      try {
        const events = history(world, random, 400)
        for (const event of unreliably(events, random)) world.apply([event])
        const words = lastWords(events)
        const isRecord = ([uri]: [string, unknown]) => !uri.includes(`/${LIKE}/`)
        const expected = [...words].filter(isRecord).map(([uri, { cid }]) => [uri, cid])
        expect([...held(world)].sort()).toEqual(expected.sort())
        const fans = new Map<string, Set<string>>()
        for (const [uri, { record }] of words) {
          if (!uri.includes(`/${LIKE}/`)) continue
          const subject = (record['subject'] as RecordId).uri
          fans.set(subject, (fans.get(subject) ?? new Set()).add(uri.split('/')[2]!))
        }
        const counts = [...fans].map(([subject, who]) => [subject, who.size])
        expect(likes(world)).toEqual(Object.fromEntries(counts))
      } finally {
        world.dispose()
      }
    },
  )

  it('a like whose subject changes counts once, for its current subject', () => {
    const world = createWorld({ scope: 'network' })
    try {
      const [ann, ben] = [world.account('ann'), world.account('ben')]
      const record = { did: 'did:web:feeds.test', displayName: 'x', createdAt: world.isoNow() }
      const feed = world.write({ did: ann, collection: GENERATOR, record })
      const post = world.post(ann)
      const like = world.like(ben, feed)
      const rkey = like.uri.split('/').at(-1)!
      const likesOfPost = () =>
        world.db.prepare('SELECT coalesce(sum(likes), 0) FROM post_counts').pluck().get()
      const pointAt = (subject: RecordId) =>
        world.write({
          did: ben,
          collection: LIKE,
          rkey,
          operation: 'update',
          record: { subject, createdAt: world.isoNow() },
        })
      expect(likes(world)).toEqual({ [feed.uri]: 1 })
      pointAt(post)
      expect([likes(world), likesOfPost()]).toEqual([{}, 1])
      pointAt(feed)
      expect([likes(world), likesOfPost()]).toEqual([{ [feed.uri]: 1 }, 0])
      world.delete(like)
      expect([likes(world), likesOfPost()]).toEqual([{}, 0])
    } finally {
      world.dispose()
    }
  })
})

describe('in a community', () => {
  it('keeps records of known accounts, and others only if something refers to them', () => {
    const world = createWorld({ members: ['ann'] })
    try {
      const [ann, ben, far] = [world.account('ann'), world.account('ben'), world.account('far')]
      const feedBy = (did: string, rkey: string) => {
        const record = { did: 'did:web:feeds.test', displayName: 'x', createdAt: world.isoNow() }
        return world.write({ did, collection: GENERATOR, record, rkey }).uri
      }
      world.follow(ann, ben)
      const stored = feedBy(ben, 'kept')
      feedBy(far, 'far')
      expect([...held(world).keys()]).toEqual([stored])
      const pointed = `at://${far}/${GENERATOR}/liked`
      world.like(ann, { uri: pointed, cid: world.post(ann).cid })
      expect(feedBy(far, 'liked')).toBe(pointed)
      expect([...held(world).keys()].sort()).toEqual([stored, pointed].sort())
    } finally {
      world.dispose()
    }
  })

  it('refuses a record under a key that its collection does not allow', () => {
    const world = createWorld({ scope: 'network', members: ['ann'] })
    try {
      const did = world.account('ann')
      const single: [RecordCollection, JsonObject][] = [
        [CHAT, { allowIncoming: 'all' }],
        ['app.bsky.labeler.service', { policies: { labelValues: [] } }],
        ['app.bsky.actor.status', { status: 'x' }],
      ]
      for (const [collection, record] of single) {
        world.write({
          did,
          collection,
          record: { ...record, createdAt: world.isoNow() },
          rkey: 'x',
        })
      }
      expect(held(world).size).toBe(0)
    } finally {
      world.dispose()
    }
  })
})
