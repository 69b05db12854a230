// Random histories of a few accounts: each member's notifications, compared with a naive model and the
// official lexicon.

import type { StreamEvent } from '@slipstream/jetstream'
import { afterEach, expect, test } from 'vitest'
import { createNaiveNotifications } from '../../../../../support/naive-notifications.ts'
import { createRandom, type Random } from '../../../../../support/random.ts'
import { randomHistory } from '../../../../../support/random-history.ts'
import { didOf } from '../../../../../support/records.ts'
import { testSeed } from '../../../../../support/seed.ts'
import {
  allPages,
  createServingWorld,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'

type Notification = { uri: string; reason: string; reasonSubject?: string; indexedAt: string }
type Page = { notifications: Notification[]; cursor?: string }

const MEMBERS = ['person-0', 'person-1', 'person-2']
const memberDids = MEMBERS.map(didOf)

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

/** The same history, with mentions in some posts and a repost as `via` in some reactions. */
function embellished(events: StreamEvent[], random: Random): StreamEvent[] {
  const reposts: { uri: string; cid: string }[] = []
  return events.map((event) => {
    if (event.kind !== 'commit' || event.operation === 'delete') return event
    const { collection, did, rkey, cid, record } = event
    const uri = `at://${did}/${collection}/${rkey}`
    const more: Record<string, unknown> = {}
    if (collection === 'app.bsky.feed.post' && random.chance(0.2)) {
      const mention = { $type: 'app.bsky.richtext.facet#mention', did: random.pick(memberDids) }
      more['facets'] = [{ index: { byteStart: 0, byteEnd: 1 }, features: [mention] }]
    }
    const isReaction = /like|repost/.test(collection)
    if (isReaction && reposts.length > 0 && random.chance(0.4)) more['via'] = random.pick(reposts)
    if (collection === 'app.bsky.feed.repost') reposts.push({ uri, cid })
    return { ...event, record: { ...record, ...more } }
  })
}

function asText({ reason, uri, reasonSubject, indexedAt }: Notification): string {
  return [reason, uri, reasonSubject, indexedAt].join(' ')
}

async function visibleTo(w: ServingWorld, did: string, limit = 100): Promise<string[]> {
  const nsid = 'app.bsky.notification.listNotifications'
  const read = (cursor?: string) => w.get<Page>(nsid, { limit, cursor }, did)
  const all = await allPages(read, (page) => page.notifications)
  const times = all.map(({ indexedAt }) => indexedAt)
  expect(times).toEqual([...times].sort().reverse())
  return all.map(asText).sort()
}

test.each(['network', 'community'] as const)(
  'notifications match the model, however often events repeat (%s)',
  async (scope) => {
    const random = createRandom(testSeed(`notifications, ${scope}`))
    const w = createServingWorld({ scope, members: MEMBERS })
    world = w
    // In a smaller scope, the author decides what is kept: here members follow every account.
    if (scope === 'community') {
      for (const did of memberDids) {
        for (let i = 0; i < 9; i++) w.follow(did, w.account(`person-${i}`))
      }
    }
    const model = createNaiveNotifications(memberDids)
    for (const event of w.world.sent) model.apply(event)
    const history = embellished(randomHistory(w.world, random, 700), random)
    const events = scope === 'network' ? history : history.filter(isNoRelation)
    const expected = (did: string) =>
      model
        .visible(did)
        .map(({ reason, uri, subject, sortAt }) =>
          asText({
            reason,
            uri,
            reasonSubject: subject,
            indexedAt: new Date(sortAt).toISOString(),
          }),
        )
        .sort()
    let seen = 0
    for (const [i, event] of events.entries()) {
      const again = random.pick(events.slice(0, i + 1))
      for (const item of again.kind === 'commit' ? [event, again] : [event]) {
        w.apply([item])
        model.apply(item)
      }
      if (i % 50 !== 0) continue
      for (const did of memberDids) {
        const visible = await visibleTo(w, did, 1 + random.below(100))
        expect(visible, `event ${i}`).toEqual(expected(did))
        seen += visible.length
      }
    }
    expect(seen).toBeGreaterThan(200)
  },
)

/** Whether the event leaves the scope unchanged; follows and account deletions would move it. */
function isNoRelation(event: StreamEvent): boolean {
  if (event.kind === 'account') return event.status !== 'deleted'
  return event.kind !== 'commit' || event.collection !== 'app.bsky.graph.follow'
}

const PEOPLE = Array.from({ length: 6 }, (_, i) => didOf(`person-${i}`))
/** Posts of a conversation that reply directly to a member, and so notify one. */
const ANSWERS = 100

/** Returns posts that reply to each other, some with mentions, as events not applied yet. */
function conversation(w: ServingWorld, random: Random): StreamEvent[] {
  type Ref = { uri: string; cid: string }
  const posts: (Ref & { author: string; root: Ref })[] = []
  return w.hold(() => {
    for (let answers = 0; answers < ANSWERS; ) {
      const above =
        posts.length > 3 && random.chance(0.9) ? random.pick(posts.slice(-6)) : undefined
      const parent = above && { uri: above.uri, cid: above.cid }
      const named = { $type: 'app.bsky.richtext.facet#mention', did: random.pick(PEOPLE) }
      const facets = [{ index: { byteStart: 0, byteEnd: 1 }, features: [named] }]
      const author = random.pick(PEOPLE)
      const made = w.post(author, {
        ...(above && parent && { reply: { root: above.root, parent } }),
        ...(random.chance(0.1) && { facets }),
      })
      posts.push({ ...made, author, root: above?.root ?? made })
      if (above && above.author !== author && memberDids.includes(above.author)) answers++
    }
  })
}

test('replies arriving in any order give the same notifications', async () => {
  const seed = testSeed('replies in any order')
  const notified: string[][][] = []
  for (const isShuffled of [false, true]) {
    const random = createRandom(seed)
    const w = createServingWorld({ scope: 'network', members: MEMBERS })
    const events = conversation(w, random)
    if (isShuffled) events.sort((a, b) => orderOf(a, seed) - orderOf(b, seed))
    for (let i = 0; i < events.length; i += 7) w.apply(events.slice(i, i + 7))
    notified.push(await Promise.all(memberDids.map((did) => visibleTo(w, did))))
    w.dispose()
  }
  expect(notified[0]!.flat().length).toBeGreaterThanOrEqual(ANSWERS)
  expect(notified[1]).toEqual(notified[0])
})

function orderOf(event: StreamEvent, seed: number): number {
  return createRandom(event.timeUs ^ seed).next()
}
