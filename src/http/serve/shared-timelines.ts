// Timelines that programs post to, where several nodes share them (docs/CLUSTER.md). The engine’s log has the word, the
// rows here follow: what is posted on any node is first in the log at a quorum, on top of all that was there, then in
// rows; and before somebody reads, the rows take in what other nodes have put into the log.

import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../../base/obs/log.ts'
import type { IngestConnection } from '../../bridge/connection.ts'
import { EngineUnavailableError } from '../../data/engine/connect.ts'
import type { TimelineLog } from '../../data/engine/timeline-log.ts'
import type { Db } from '../../data/store/db.ts'
import { followedVersion } from '../../data/store/shared-timelines.ts'
import type { PostOutcome, TimelinePost } from '../../data/store/timeline-posts.ts'
import { cutForLog, entryOf } from '../../ingest/timelines/follow-log.ts'
import { createEngineWaits } from './engine-waits.ts'

export type SharedTimelines = {
  /** In their order. */
  post(posts: readonly TimelinePost[]): Promise<PostOutcome[]>
  /** Before they are read, and before a cursor is, whatever it is of. @returns whether the engine answered in time */
  upToDate(names: readonly string[]): Promise<boolean>
  /** What comes to them comes into rows by itself, until the function that is returned is called. */
  follow(names: readonly string[]): () => void
  /** The same on all nodes, once the engine was reached. */
  cursorKeys(): readonly CursorKey[]
  fallbacks(): number
  close(): void
}

type CursorKey = { id: number; secret: Buffer }
type Place = { id: string; timelines: Pick<TimelineLog, 'put' | 'after'> }

type Parts = {
  /** @throws EngineUnavailableError */
  place: () => Promise<Place>
  /** Its identity, as it was known before it is reached. */
  placeId?: () => string | undefined
  db: Db
  ingest: Pick<IngestConnection, 'writeTimelines' | 'planPosts'>
  log: Pick<Logger, 'warn' | 'error'>
  /** For how long a reader is kept waiting. */
  waitedForMs?: number
}

/** Others were quicker so many times. */
const MAX_ATTEMPTS = 40
const LONGEST_PAUSE_MS = 50
const FOLLOWED_EVERY_MS = 500

const REFUSAL = {
  ok: false,
  status: 503,
  error: 'EngineUnavailable',
  message:
    'Too few of the servers that keep timelines answer: post again soon, with the same idempotency_key',
} as const

/** From the place's identity, which is known from before the engine is reached again. */
function createCursorKeys(before: string | undefined) {
  let all: readonly CursorKey[] =
    before === undefined ? [] : [{ id: 0, secret: sharedCursorSecret(before) }]
  return {
    all: () => all,
    know(id: string): void {
      all = [{ id: 0, secret: sharedCursorSecret(id) }]
    },
  }
}

/** What all nodes of a place sign cursors with. */
export function sharedCursorSecret(placeId: string): Buffer {
  return hash('sha256', `cursors ${placeId}`, 'buffer')
}

export function createSharedTimelines(parts: Parts): SharedTimelines {
  const { place } = parts
  const followed = new Map<string, number>()
  const waits = createEngineWaits({
    ...parts,
    away: 'the engine is away: timelines of programs are read as this node has them, and take no posts',
    failed: 'a timeline could not be followed on the engine',
  })
  const timer = setInterval(() => {
    if (!waits.isAway()) void bringAll([...followed.keys()]).catch(waits.fellBehind)
  }, FOLLOWED_EVERY_MS)
  timer.unref()
  const keys = createCursorKeys(parts.placeId?.())

  async function open(): Promise<Place> {
    const found = await place()
    keys.know(found.id)
    return found
  }
  void open().catch(() => undefined)

  async function bringAll(names: readonly string[]): Promise<void> {
    const found = await open()
    await Promise.all(names.map((name) => bringTimeline(parts, found, name)))
  }

  async function postSome(name: string, posts: TimelinePost[]): Promise<PostOutcome[]> {
    try {
      return await append(parts, await open(), { name, posts })
    } catch (error) {
      waits.fellBehind(error)
      if (!(error instanceof EngineUnavailableError)) throw error
      return posts.map(() => REFUSAL)
    }
  }

  return {
    async post(posts) {
      const outcomes: PostOutcome[] = []
      const all = Map.groupBy(posts.keys(), (i) => posts[i]!.name)
      const each = async ([name, places]: [string, number[]]) => {
        for (const some of cutForLog(posts, places)) {
          const done = await postSome(
            name,
            some.map((i) => posts[i]!),
          )
          for (const [n, i] of some.entries()) outcomes[i] = done[n]!
        }
      }
      await Promise.all([...all].map(each))
      return outcomes
    },
    async upToDate(names) {
      return (names.length === 0 && keys.all().length > 0) || waits.inTime(() => bringAll(names))
    },
    follow(names) {
      for (const name of names) followed.set(name, (followed.get(name) ?? 0) + 1)
      return () => {
        for (const name of names) {
          const left = followed.get(name)! - 1
          if (left === 0) followed.delete(name)
          else followed.set(name, left)
        }
      }
    },
    cursorKeys: keys.all,
    fallbacks: waits.fallbacks,
    close: () => clearInterval(timer),
  }
}

/** The rows take in what is new in the log. */
export async function bringTimeline(
  { db, ingest }: { db: Db; ingest: Pick<IngestConnection, 'writeTimelines'> },
  { id, timelines }: { id: string; timelines: Pick<TimelineLog, 'after'> },
  name: string,
): Promise<void> {
  const timeline = { place: id, name }
  for (let isMore = true; isMore; ) {
    const from = followedVersion(db, timeline)
    const slice = await timelines.after(name, from)
    const { entries } = slice
    if (entries.length === 0) return
    await ingest.writeTimelines({ kind: 'follow-log', timeline, from, entries })
    isMore = slice.isMore
  }
}

async function append(
  parts: Parts,
  place: Place,
  { name, posts }: { name: string; posts: TimelinePost[] },
): Promise<PostOutcome[]> {
  const timeline = { place: place.id, name }
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    await bringTimeline(parts, place, name)
    const plan = await parts.ingest.planPosts({ timeline, posts })
    if (plan.given.length === 0) return plan.outcomes
    if (await place.timelines.put(name, plan.version + 1, entryOf(plan))) {
      // It is kept; should this node not have it yet, the next reader brings it.
      await bringTimeline(parts, place, name).catch(() => undefined)
      return plan.outcomes
    }
    await pause(Math.random() * LONGEST_PAUSE_MS)
  }
  throw new EngineUnavailableError('others post to the same timeline all the time')
}
