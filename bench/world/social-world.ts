// A seeded social network as events, in the proportions of the one that the reference AppView was measured on
// (field.md, section 6): power-law follows, a month of posts of which a fifth to a half are replies,
// pictures, quotes, reposts, likes. Four kinds of viewers: with 20 follows that rarely post, and with 100,
// 1,000 and 5,000 of all kinds.

import type { StreamEvent } from '@slipstream/jetstream'
import { DAY_MS } from '../../src/base/util/durations.ts'
import type { JsonObject } from '../../src/base/util/json-object.ts'
import { createRandom, type Random } from '../../test/support/random.ts'
import { blobOf, didOf, tidAt } from '../../test/support/records.ts'
import { postText } from '../../test/support/simulated-network/words.ts'
import { quickCid } from './quick-cid.ts'

export type WorldSize = {
  accounts: number
  /** Of all accounts except the viewers. */
  follows: number
  posts: number
  reposts: number
  likes: number
  viewersOfEachKind: number
}

export const smallWorld: WorldSize = {
  accounts: 7_000,
  follows: 60_000,
  posts: 25_000,
  reposts: 6_000,
  likes: 30_000,
  viewersOfEachKind: 5,
}

/** The size of the reference's own measurement, with half its posts, follows and likes. */
export const fullWorld: WorldSize = {
  accounts: 20_000,
  follows: 1_160_000,
  posts: 250_000,
  reposts: 75_000,
  likes: 500_000,
  viewersOfEachKind: 25,
}

export type ViewerKind = 'quiet_20' | 'follows_100' | 'follows_1000' | 'follows_5000'

export type Viewer = { did: string; kind: ViewerKind; follows: number }

export type SocialWorld = {
  viewers: Viewer[]
  /** Most followed first. */
  popular: string[]
  /** Time of the last event, in milliseconds since 1970. */
  endMs: number
  /** All events from the first profile to the last like, in order; can be iterated once. */
  events(): Generator<StreamEvent>
}

const SPAN_DAYS = 30
/** The last accounts: three to eight posts each over the whole span. */
const QUIET_ACCOUNTS = 1_000
const POPULAR = 500
const FOLLOWS: Record<ViewerKind, number> = {
  quiet_20: 20,
  follows_100: 100,
  follows_1000: 1_000,
  follows_5000: 5_000,
}

type Post = { uri: string; cid: string; root: { uri: string; cid: string } }

export function createSocialWorld(size: WorldSize, endMs: number, seed = 1): SocialWorld {
  const random = createRandom(seed)
  const dids = Array.from({ length: size.accounts }, (_, i) => didOf(`bench account ${i}`))
  const viewers = (Object.keys(FOLLOWS) as ViewerKind[]).flatMap((kind) =>
    Array.from({ length: size.viewersOfEachKind }, (_, i) => ({
      did: didOf(`bench viewer ${kind} ${i}`),
      kind,
      follows: FOLLOWS[kind],
    })),
  )
  const startMs = endMs - SPAN_DAYS * DAY_MS
  return {
    viewers,
    popular: dids.slice(0, POPULAR),
    endMs,
    *events() {
      const write = createWriter()
      yield* profiles(write, [...dids, ...viewers.map(({ did }) => did)], startMs)
      yield* follows(write, { size, dids, random, startMs })
      yield* viewerFollows(write, { viewers, dids, random, startMs })
      yield* life(write, { size, dids, random, startMs, endMs })
    },
  }
}

type Write = ReturnType<typeof createWriter>

/** Record keys rise within a millisecond, so that none repeats. */
function createWriter() {
  let lastUs = 0
  return (did: string, collection: string, atMs: number, record: JsonObject, key?: string) => {
    lastUs = Math.max(lastUs + 1, Math.floor(atMs) * 1000)
    const rkey = key ?? tidAt(lastUs)
    const createdAt = new Date(atMs).toISOString()
    return {
      kind: 'commit',
      did,
      timeUs: Math.floor(atMs) * 1000,
      seq: undefined,
      operation: 'create',
      rev: tidAt(lastUs, 1),
      collection,
      rkey,
      cid: quickCid(did, rkey),
      record: { $type: collection, ...record, createdAt },
    } as const
  }
}

function* profiles(write: Write, dids: readonly string[], atMs: number): Generator<StreamEvent> {
  for (const [i, did] of dids.entries()) {
    const record = {
      displayName: `Account ${i}`,
      description: 'Says what there is to say, and now and then a little more than that.',
      avatar: blobOf(`avatar ${i}`),
    }
    yield write(did, 'app.bsky.actor.profile', atMs, record, 'self')
  }
}

type Dependencies = { dids: readonly string[]; random: Random; startMs: number }

function* follows(write: Write, parts: Dependencies & { size: WorldSize }): Generator<StreamEvent> {
  const { dids, random, size, startMs } = parts
  const seen = new Set<number>()
  while (seen.size < size.follows) {
    const creator = random.below(dids.length)
    const subject = random.zipf(dids.length)
    const pair = creator * dids.length + subject
    if (creator === subject || seen.has(pair)) continue
    seen.add(pair)
    yield write(dids[creator]!, 'app.bsky.graph.follow', startMs, { subject: dids[subject]! })
  }
}

function* viewerFollows(
  write: Write,
  { viewers, dids, random, startMs }: Dependencies & { viewers: Viewer[] },
): Generator<StreamEvent> {
  const busy = dids.length - QUIET_ACCOUNTS
  for (const { did, kind, follows } of viewers) {
    const subjects = new Set<number>()
    while (subjects.size < follows) {
      if (kind === 'quiet_20') subjects.add(busy + random.below(QUIET_ACCOUNTS))
      else subjects.add(random.chance(0.3) ? random.zipf(busy) : random.below(busy))
    }
    for (const subject of subjects) {
      yield write(did, 'app.bsky.graph.follow', startMs, { subject: dids[subject]! })
    }
  }
}

/** Posts, reposts and likes, spread over the whole span. */
function* life(
  write: Write,
  parts: Dependencies & { size: WorldSize; endMs: number },
): Generator<StreamEvent> {
  const { dids, random, size, startMs, endMs } = parts
  const total = size.posts + size.reposts + size.likes
  const quietPosts = quietPostTimes(random, startMs, endMs)
  const posts: Post[] = []
  const recent = () => posts[posts.length - 1 - random.zipf(Math.min(posts.length, 20_000))]!
  const busy = dids.length - QUIET_ACCOUNTS
  for (let i = 0; i < total; i++) {
    const atMs = startMs + ((endMs - startMs) * (i + 1)) / (total + 1)
    while (quietPosts.length > 0 && quietPosts.at(-1)!.atMs <= atMs) {
      const { account, atMs: then } = quietPosts.pop()!
      yield write(dids[busy + account]!, 'app.bsky.feed.post', then, postRecord(random, undefined))
    }
    const dice = random.next() * total
    const someone = dids[random.below(dids.length)]!
    if (posts.length < 100 || dice < size.posts) {
      const author = dids[random.chance(0.5) ? random.zipf(busy) : random.below(busy)]!
      const other = posts.length > 0 && random.chance(0.35) ? recent() : undefined
      const event = write(author, 'app.bsky.feed.post', atMs, postRecord(random, other))
      const made = { uri: `at://${author}/app.bsky.feed.post/${event.rkey}`, cid: event.cid }
      posts.push({ ...made, root: 'reply' in event.record && other ? other.root : made })
      yield event
    } else {
      const { uri, cid } = recent()
      const isRepost = dice < size.posts + size.reposts
      const collection = isRepost ? 'app.bsky.feed.repost' : 'app.bsky.feed.like'
      yield write(someone, collection, atMs, { subject: { uri, cid } })
    }
  }
}

/** Latest first. */
function quietPostTimes(random: Random, startMs: number, endMs: number) {
  const times = Array.from({ length: QUIET_ACCOUNTS }, (_, account) =>
    Array.from({ length: 3 + random.below(6) }, () => ({
      account,
      atMs: startMs + random.next() * (endMs - startMs),
    })),
  ).flat()
  return times.sort((a, b) => b.atMs - a.atMs)
}

function postRecord(random: Random, other: Post | undefined): JsonObject {
  const text = `${postText(random)} ${postText(random)}`.slice(0, 290)
  const record: JsonObject = { text, langs: ['en'] }
  const ref = other && { uri: other.uri, cid: other.cid }
  if (other && random.chance(0.8)) record['reply'] = { root: other.root, parent: ref }
  else if (other) record['embed'] = { $type: 'app.bsky.embed.record', record: ref }
  if (!record['embed'] && random.chance(0.2)) record['embed'] = pictures(random)
  return record
}

function pictures(random: Random): JsonObject {
  const images = Array.from({ length: 1 + random.below(3) }, () => ({
    image: blobOf(`picture ${random.next()}`),
    alt: 'What there is to be seen in it',
    aspectRatio: { width: 1600, height: 1200 },
  }))
  return { $type: 'app.bsky.embed.images', images }
}
