// Timelines that programs post to, when several nodes share them (docs/CLUSTER.md). The engine's log is
// authoritative, rows follow: a post on any node is first committed to a quorum of the log, on top of all
// earlier ones, and then to rows; before a read, rows take in what other nodes logged.

import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../../../base/obs/log.ts'
import type { Db } from '../../../data/store/db.ts'
import type { Followed } from '../../timelines/http/shared-by-nodes.ts'
import type { TimelineWriter } from '../../timelines/requests.ts'
import type { PostOutcome, TimelinePost } from '../../timelines/store/programs/timeline-posts.ts'
import { followedVersion } from '../../timelines/store/shared-timelines.ts'
import { cutForLog, entryOf } from '../../timelines/writing/follow-log.ts'
import { EngineUnavailableError } from '../engine/connect.ts'
import type { TimelineLog } from '../engine/timeline-log.ts'
import { createEngineWaits } from './engine-waits.ts'

/** `upToDate` is also called before reading any cursor. */
type SharedTimelines = Followed & {
  /** Keeps their order. */
  post(posts: readonly TimelinePost[]): Promise<PostOutcome[]>
  /** The same on all nodes, once the engine has been reached. */
  cursorKeys(): readonly CursorKey[]
  fallbacks(): number
  close(): void
}

type CursorKey = { id: number; secret: Buffer }
type ClusterState = { id: string; timelines: Pick<TimelineLog, 'put' | 'after'> }

type Dependencies = {
  /** @throws EngineUnavailableError */
  cluster: () => Promise<ClusterState>
  /** The cluster's identity as known before the engine is reached. */
  clusterId?: () => string | undefined
  db: Db
  ingest: Pick<TimelineWriter, 'writeTimelines' | 'planPosts'>
  log: Pick<Logger, 'warn' | 'error'>
  /** How long a reader waits. */
  waitedForMs?: number
}

/** Attempts lost to other nodes before giving up. */
const MAX_ATTEMPTS = 40
const LONGEST_PAUSE_MS = 50
const FOLLOWED_EVERY_MS = 500

const REFUSAL = {
  ok: false,
  status: 503,
  error: 'EngineUnavailable',
  message:
    'Too few of the servers that store timelines answer: post again soon, with the same idempotency_key',
} as const

/** Derived from the cluster's identity, which is known before the engine is reached again. */
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

/** The secret with which all nodes of a cluster sign cursors. */
export function sharedCursorSecret(clusterId: string): Buffer {
  return hash('sha256', `cursors ${clusterId}`, 'buffer')
}

export function createSharedTimelines(parts: Dependencies): SharedTimelines {
  const { cluster } = parts
  const followed = new Map<string, number>()
  const waits = createEngineWaits({
    ...parts,
    away: 'the engine is unreachable: this node’s copies of custom timelines are read, and take no posts',
    failed: 'a timeline could not be followed on the engine',
  })
  const timer = setInterval(() => {
    if (!waits.isAway()) void bringAll([...followed.keys()]).catch(waits.fellBehind)
  }, FOLLOWED_EVERY_MS)
  timer.unref()
  const keys = createCursorKeys(parts.clusterId?.())

  async function open(): Promise<ClusterState> {
    const found = await cluster()
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
      const each = async ([name, positions]: [string, number[]]) => {
        for (const some of cutForLog(posts, positions)) {
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

/** Brings rows up to date with the log. */
export async function bringTimeline(
  { db, ingest }: { db: Db; ingest: Pick<TimelineWriter, 'writeTimelines'> },
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
  parts: Dependencies,
  cluster: ClusterState,
  { name, posts }: { name: string; posts: TimelinePost[] },
): Promise<PostOutcome[]> {
  const timeline = { place: cluster.id, name }
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    await bringTimeline(parts, cluster, name)
    const plan = await parts.ingest.planPosts({ timeline, posts })
    if (plan.given.length === 0) return plan.outcomes
    if (await cluster.timelines.put(name, plan.version + 1, entryOf(plan))) {
      // It is committed; if this node misses it now, the next reader brings it.
      await bringTimeline(parts, cluster, name).catch(() => undefined)
      return plan.outcomes
    }
    await pause(Math.random() * LONGEST_PAUSE_MS)
  }
  throw new EngineUnavailableError('other nodes keep posting to this timeline')
}
