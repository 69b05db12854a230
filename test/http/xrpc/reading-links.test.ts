// What a reading link shows: after a random history, the answers of all methods that a link allows are the same
// whether or not its member mutes, bookmarks and subscribes. The member's own answers differ, and both are read
// in turns, so that nothing kept for one reaches the other.

import { afterEach, expect, test } from 'vitest'
import { createReadingTokens, READABLE } from '../../../src/sources/identity/reading-token.ts'
import { privateAct } from '../../support/private-acts.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { randomHistory } from '../../support/random-history.ts'
import { didOf } from '../../support/records.ts'
import { testSeed } from '../../support/seed.ts'
import { createServingWorld, type Query, type ServingWorld } from '../../support/serving-world.ts'
import type { RecordId } from '../../support/world.ts'

const SEED = testSeed('reading links')
const OPERATOR = 'an operator’s token'
const HISTORY = 200
const ROUNDS = 2
const ACTS_A_ROUND = 30

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

type Scene = {
  w: ServingWorld
  people: readonly string[]
  member: string
  /** An account that the member follows, and one that it will mute. */
  friend: string
  foe: string
  post: RecordId
  link: string
}

/** @param history - the number of events of the accounts’ random past */
function start(random: Random, history = HISTORY): Scene {
  const w = createServingWorld({ scope: 'network', operatorToken: OPERATOR })
  world = w
  const [friend, foe] = [w.account('friend'), w.account('foe')]
  const people = [...Array.from({ length: 9 }, (_, i) => w.account(`person-${i}`)), friend, foe]
  for (const did of people) w.profile(did, { displayName: 'somebody' })
  const [member] = people as [string]
  w.member(member)
  for (const did of people.slice(1, 6)) w.follow(member, did)
  w.apply(randomHistory(w.world, random, history))
  const link = createReadingTokens(OPERATOR).mint(member, 1)
  // The history may have hidden or deleted the member’s account.
  w.status(member)
  w.member(member)
  w.follow(member, friend)
  const post = w.post(friend, 'something to remember')
  return { w, people, member, friend, foe, post, link }
}

/** Requests of every method that a link may call. */
function questions({ w, people }: Scene): [nsid: string, query: Query][] {
  const posts = w.world.sent.flatMap((event) =>
    event.kind === 'commit' && event.collection === 'app.bsky.feed.post'
      ? `at://${event.did}/${event.collection}/${event.rkey}`
      : [],
  )
  const requested: Record<string, Query[]> = {
    'app.bsky.actor.getProfile': people.map((actor) => ({ actor })),
    'app.bsky.feed.getAuthorFeed': people.map((actor) => ({ actor, includePins: true })),
    'app.bsky.feed.getPostThread': posts.slice(-15).map((uri) => ({ uri })),
    'app.bsky.feed.getTimeline': [{ limit: 100 }, { limit: 7 }],
    'app.bsky.graph.getKnownFollowers': people.map((actor) => ({ actor })),
    'io.slipstream.graph.getSocialProof': [{ subjects: people }],
  }
  expect(Object.keys(requested).sort()).toEqual([...READABLE].sort())
  return Object.entries(requested).flatMap(([nsid, queries]) =>
    queries.map((query): [string, Query] => [nsid, query]),
  )
}

/**
 * All answers as text. The count of a post's bookmarks is public: it names no one. What somebody bookmarks is fetched, so
 * a post that was not found may be on its way.
 */
async function answersTo({ w }: Scene, bearer: string, requested: ReturnType<typeof questions>) {
  const answers: string[] = []
  for (const [nsid, query] of requested) {
    const { status, body } = await w.ask(nsid, query, bearer)
    const isNotHere = ['NotFound', 'NotHereYet'].includes((body as { error?: string }).error ?? '')
    if (isNotHere) {
      answers.push(`${nsid} is not here`)
      continue
    }
    answers.push(`${nsid} ${status} ${JSON.stringify(body).replace(/"bookmarkCount":\d+/g, '')}`)
  }
  return answers
}

/** One act of each kind, on accounts and a post that the member sees. */
function actOnce({ w, member: did, friend, foe, post: { uri, cid } }: Scene): void {
  w.request({ id: 1, did, kind: 'bookmark', uri, cid })
  w.request({ id: 1, did, kind: 'mute-thread', root: uri })
  w.request({ id: 1, did, kind: 'mute', subjectDid: foe })
  const request = { subject: friend, post: true, reply: false }
  w.request({ id: 1, did, kind: 'activity-subscription', ...request })
}

const PRIVATE = [
  '"muted":true',
  '"bookmarked":true',
  '"threadMuted":true',
  '"activitySubscription":{"post"',
]
const LIST = '"mutedByList":'

test(`shows nothing of its member’s private state (seed ${SEED})`, async () => {
  const random = createRandom(SEED)
  const scene = start(random)
  const { w, member, link } = scene
  const requested = questions(scene)
  const before = await answersTo(scene, link, requested)
  expect(await answersTo(scene, member, requested)).toEqual(before)
  for (const sign of [...PRIVATE, LIST]) expect(before.join('\n')).not.toContain(sign)
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < ACTS_A_ROUND; i++) privateAct(w.world, random, [member])
    actOnce(scene)
    const notified = (await answersTo(scene, member, requested)).join('\n')
    for (const sign of PRIVATE) expect(notified).toContain(sign)
    expect(await answersTo(scene, link, requested)).toEqual(before)
  }
})

test('posts that its member mutes are in the timeline that it shows', async () => {
  const scene = start(createRandom(1), 0)
  const { w, people, member, link } = scene
  const post = w.post(people[1]!, 'of somebody muted')
  w.mute(member, people[1]!)
  const visible = async (bearer: string) => {
    const { feed } = await w.get<{ feed: { post: { uri: string } }[] }>(
      'app.bsky.feed.getTimeline',
      { limit: 100 },
      bearer,
    )
    return feed.some((item) => item.post.uri === post.uri)
  }
  expect([await visible(member), await visible(link), await visible(member)]).toEqual([
    false,
    true,
    false,
  ])
})

test('a moderation service’s link sees no more than any member’s', async () => {
  const service = didOf('service')
  const w = createServingWorld({
    operatorToken: OPERATOR,
    scope: 'network',
    moderationServices: [service],
  })
  world = w
  const bob = w.account('bob')
  w.member(service)
  w.block(bob, service)
  const { uri } = w.post(bob, 'x')
  const visible = async (bearer: string) =>
    JSON.stringify((await w.ask('app.bsky.feed.getPostThread', { uri }, bearer)).body)
  expect(await visible(service)).toContain('#threadViewPost')
  expect(await visible(createReadingTokens(OPERATOR).mint(service, 1))).toContain('#blockedPost')
})
