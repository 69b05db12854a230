// Shown counts are the true ones, in whatever order their parts arrived: many events before we listened, some
// late, by stream or from repositories, some in time, and an AppView that knows them all asked in between.

import type { StreamEvent } from '@slipstream/jetstream'
import { expect, test } from 'vitest'
import {
  putSeedActorCounts,
  putSeedPostCounts,
} from '../../../src/data/store/counts/seed-counts.ts'
import { prepareActors } from '../../../src/data/store/read/accounts/actors.ts'
import { preparePosts } from '../../../src/data/store/read/posts/posts.ts'
import { transact } from '../../../src/data/store/transact.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { didOf } from '../../support/records.ts'
import { testSeed } from '../../support/seed.ts'
import { createWorld, type RecordId, type World } from '../../support/world.ts'

const people = Array.from({ length: 9 }, (_, i) => didOf(`person-${i}`))
/** Accounts whose events never arrive here, and who do nothing after the AppView was asked. */
const silent = new Set(people.slice(6))

type Presented = Record<string, number[]>

/** Counts as readers see them, by at-URI and DID. */
function presentedIn(world: World, posts: readonly RecordId[]): Presented {
  const ids = postIds(world, posts)
  const rows = preparePosts(world.reader).counts(ids.values())
  const byId = new Map(rows.map(([id, ...counts]) => [id, counts.slice(0, 4)]))
  const visible: Presented = {}
  for (const [uri, id] of ids) visible[uri] = byId.get(id)!
  for (const did of people) {
    const [row] = prepareActors(world.reader).rows([world.uid(did)])
    visible[did] = row ? [row[4], row[5], row[6]] : [0, 0, 0]
  }
  return visible
}

function postIds(world: World, posts: readonly RecordId[]): Map<string, number> {
  const id = world.db.prepare<[number, string], number>(
    `SELECT p.id FROM posts p JOIN actors a USING (uid) WHERE a.uid = ? AND p.cid IS NOT NULL
      AND json_extract(CAST(p.record AS TEXT), '$.text') = ?`,
  )
  return new Map(
    posts.map(({ uri }, i) => [
      uri,
      id.pluck().get(world.uid(uri.split('/')[2]!), `post ${i}`) ?? 0,
    ]),
  )
}

function act(
  world: World,
  random: Random,
  by: readonly string[],
  posts: readonly RecordId[],
): void {
  const did = random.pick(by)
  const post = random.pick(posts)
  const made = world.sent.flatMap((event) =>
    event.kind === 'commit' && event.operation === 'create' && event.did === did ? [event] : [],
  )
  const own = made.filter(({ record }) => !String(record['text']).startsWith('post '))
  const acts = [
    () => world.like(did, post),
    () => world.repost(did, post),
    () => world.post(did, { reply: { parent: post } }),
    () => world.post(did, { quote: post }),
    () => world.follow(did, random.pick(people)),
  ]
  const last = own.length > 0 ? random.pick(own) : undefined
  if (last && random.chance(0.3)) world.delete(`at://${did}/${last.collection}/${last.rkey}`)
  else random.pick(acts)()
}

function ask(here: World, there: World, posts: readonly RecordId[]): void {
  const truth = presentedIn(there, posts)
  const ids = postIds(here, posts)
  const askedAt = here.now()
  transact(here.db, () => {
    for (const [uri, id] of ids) {
      const [likes = 0, reposts = 0, replies = 0, quotes = 0] = truth[uri]!
      putSeedPostCounts(here.db, id, { theirs: { likes, reposts, replies, quotes }, askedAt })
    }
    for (const did of people) {
      if (here.uid(did) === 0) continue
      const [follows = 0, followers = 0, posts = 0] = truth[did]!
      putSeedActorCounts(here.db, here.uid(did), {
        theirs: { follows, followers, posts },
        askedAt,
      })
    }
  })
}

/** Delivers some events as the stream replays them, and others as their repository lists them. */
function deliver(here: World, random: Random, events: readonly StreamEvent[]): void {
  for (const event of events) {
    const isCreated = event.kind === 'commit' && event.operation === 'create'
    const uri = isCreated ? `at://${event.did}/${event.collection}/${event.rkey}` : ''
    const goes = (event: StreamEvent) =>
      event.kind === 'commit' && event.operation === 'delete' && uri.endsWith(`/${event.rkey}`)
    if (isCreated && random.chance(0.4) && !events.some(goes)) {
      here.fetched({ uri, record: event.record })
    } else here.apply([event])
  }
}

test('counts are correct in any order of arrival', () => {
  const random = createRandom(testSeed('fetched earlier counts'))
  const there = createWorld({ scope: 'network' })
  const here = createWorld({ scope: 'network' })
  try {
    const posts = people.map((did, i) => there.post(did, `post ${i}`))
    here.tick(there.now() - here.now() + 1)
    here.apply(there.sent.slice())
    const late: StreamEvent[] = []
    for (let round = 0, seen = there.sent.length; round < 12; round++) {
      const isRequested = round % 4 === 3
      const by = round < 3 ? people : people.filter((did) => !silent.has(did))
      for (let i = 0; i < 40; i++) act(there, random, by, posts)
      here.tick(there.now() - here.now() + 1)
      const heard = there.sent.slice(seen).filter(({ did }) => !silent.has(did))
      seen = there.sent.length
      // A delayed account stays delayed until all its events are delivered, so that none overtakes
      // another.
      const slow = new Set(
        [...late, ...heard.filter(() => random.chance(0.1))].map(({ did }) => did),
      )
      here.apply(heard.filter(({ did }) => !slow.has(did)))
      late.push(...heard.filter(({ did }) => slow.has(did)))
      if (isRequested) {
        here.tick(1)
        ask(here, there, posts)
        there.tick(here.now() - there.now() + 5)
      }
      if (random.chance(0.4)) deliver(here, random, late.splice(0))
      if (late.length === 0 && round > 3) {
        expect(presentedIn(here, posts), `round ${round}`).toEqual(presentedIn(there, posts))
      }
    }
    deliver(here, random, late.splice(0))
    expect(presentedIn(here, posts)).toEqual(presentedIn(there, posts))
    // Otherwise the test shows nothing.
    const earlier = 'SELECT 1 FROM earlier_post_counts WHERE likes > 0 OR replies > 0 OR quotes > 0'
    expect(here.db.prepare(earlier).all().length).toBeGreaterThan(0)
  } finally {
    here.dispose()
    there.dispose()
  }
})
