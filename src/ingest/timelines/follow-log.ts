// Timelines that nodes share: what posts would become of is found out without writing any, since it is to be in the
// timeline's log first; and what is in the log becomes rows, on every node the same.

import type { WriteDb } from '../../data/store/db.ts'
import {
  followedVersion,
  type SharedTimeline,
  setFollowedVersion,
} from '../../data/store/shared-timelines.ts'
import type { GivenPost, PostPlan, TimelinePost } from '../../data/store/timeline-posts.ts'
import { tryOut } from '../../data/store/transact.ts'
import { type createAppend, followPosts } from './append.ts'

type Written = Omit<TimelinePost, 'name' | 'key' | 'body'> & { key?: string; body: string }
type Entry = { at: number; posts: { seq: number; post: Written }[] }

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

/** Those that another thread has not brought meanwhile. */
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
    const { at, posts } = JSON.parse(entry) as Entry
    const read = posts.map(({ seq, post }) => ({ seq, post: fromWritten(timeline.name, post) }))
    followPosts(db, { name: timeline.name, posts: read, now: at })
  }
  setFollowedVersion(db, timeline, news.at(-1)!.number)
}

export function entryOf({ given, receivedAt }: PostPlan): string {
  const posts = given.map(({ seq, post: { name: _, key, body, ...rest } }) => {
    const post: Written = { ...rest, body: base64(body), ...(key && { key: base64(key) }) }
    return { seq, post }
  })
  return JSON.stringify({ at: receivedAt, posts } satisfies Entry)
}

function fromWritten(name: string, { key, body, ...rest }: Written): TimelinePost {
  const bytes = (text: string) => Buffer.from(text, 'base64')
  // JSON leaves out what is undefined.
  const numbered = rest.numbered ?? undefined
  return {
    ...rest,
    name,
    numbered,
    key: key === undefined ? undefined : bytes(key),
    body: bytes(body),
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}
