// Timelines that nodes share: plans the outcome of posts without writing them, since the log of the timeline
// must have them first; and turns the log's entries into rows, identical on every node.

import type { WriteDb } from '../../../data/store/db.ts'
import { tryOut } from '../../../data/store/transact.ts'
import { type MovedHole, type MovedKey, putMovedHoles } from '../store/moved-timelines.ts'
import { putPostedKey, setLastNumber } from '../store/programs/custom-numbers.ts'
import {
  createCustomTimeline,
  findCustomTimeline,
  type ProducerNumber,
  saveCustomTimeline,
} from '../store/programs/custom-timelines.ts'
import type { GivenPost, PostPlan, TimelinePost } from '../store/programs/timeline-posts.ts'
import {
  followedVersion,
  type SharedTimeline,
  setFollowedVersion,
} from '../store/shared-timelines.ts'
import { type createAppend, followPosts } from './append.ts'

type Written = Omit<TimelinePost, 'name' | 'key' | 'body'> & { key?: string; body: string }
/** `at` of a post: set if it was posted before its timeline was shared. */
export type Entry = {
  at: number
  posts: { seq: number; at?: number; post: Written }[]
  more?: Remainder
}

/** A timeline's data besides its events, from before it was shared (moved-timeline.ts). */
export type Remainder = {
  keys?: (Omit<MovedKey, 'key' | 'body'> & { key: string; body: string })[]
  holes?: MovedHole[]
  producers?: Omit<ProducerNumber, 'timeline'>[]
  /** The highest number assigned; sent last, when all the rest is written. */
  lastSeq?: number
}

/** Posts in one log entry. */
const MAX_POSTS = 100
const MAX_BYTES = 128 << 10

export function planPosts(
  db: WriteDb,
  append: ReturnType<typeof createAppend>,
  request: { timeline: SharedTimeline; posts: readonly TimelinePost[]; now: number },
): PostPlan {
  const { timeline, posts, now } = request
  const given: GivenPost[] = []
  const plan: PostPlan = {
    version: followedVersion(db, timeline),
    outcomes: [],
    given,
    receivedAt: now,
  }
  tryOut(db, () => {
    plan.outcomes = append(db, posts, now, (post, seq) => void given.push({ post, seq }))
  })
  return plan
}

/** Applies the entries that another thread has not applied meanwhile. */
export function followLog(
  db: WriteDb,
  request: {
    timeline: SharedTimeline
    from: number
    entries: readonly { number: number; entry: string }[]
  },
): void {
  const { timeline, from, entries } = request
  const known = followedVersion(db, timeline)
  const news = entries.filter(({ number }) => number > known)
  if (known < from || news.length === 0) return
  for (const { entry } of news) {
    const { at, posts, more } = JSON.parse(entry) as Entry
    const { name } = timeline
    const read = posts.map(({ post, ...item }) => ({ ...item, post: fromWritten(name, post) }))
    followPosts(db, { name, posts: read, now: at })
    if (more) followRemainder(db, more, { name, at })
  }
  setFollowedVersion(db, timeline, news.at(-1)!.number)
}

function followRemainder(
  db: WriteDb,
  { keys = [], holes = [], producers = [], lastSeq = 0 }: Remainder,
  { name, at }: { name: string; at: number },
): void {
  const row = findCustomTimeline(db, name) ?? createCustomTimeline(db, name, at)
  for (const { key, body, ...item } of keys) {
    putPostedKey(db, row.id, fromBase64(key), { ...item, body: fromBase64(body) })
  }
  if (holes.length > 0) putMovedHoles(db, row.id, holes)
  for (const producer of producers) setLastNumber(db, { ...producer, timeline: row.id })
  saveCustomTimeline(db, { ...row, last_seq: Math.max(row.last_seq, lastSeq) })
}

/** Indexes of posts, cut into pieces that fit one entry. */
export function* cutForLog(
  posts: readonly { payload: string }[],
  positions: Iterable<number>,
): Generator<number[]> {
  let some: number[] = []
  let bytes = 0
  for (const position of positions) {
    const size = Buffer.byteLength(posts[position]!.payload)
    if (some.length === MAX_POSTS || (some.length > 0 && bytes + size > MAX_BYTES)) {
      yield some
      some = []
      bytes = 0
    }
    some.push(position)
    bytes += size
  }
  if (some.length > 0) yield some
}

export function entryOf({ given, receivedAt }: PostPlan): string {
  const posts = given.map(({ seq, post: { name: _, key, body, ...rest } }) => {
    const post: Written = { ...rest, body: base64(body), ...(key && { key: base64(key) }) }
    return { seq, post }
  })
  return JSON.stringify({ at: receivedAt, posts } satisfies Entry)
}

function fromWritten(name: string, { key, body, ...rest }: Written): TimelinePost {
  // JSON omits undefined properties.
  const numbered = rest.numbered ?? undefined
  return {
    ...rest,
    name,
    numbered,
    key: key === undefined ? undefined : fromBase64(key),
    body: fromBase64(body),
  }
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64')
}
