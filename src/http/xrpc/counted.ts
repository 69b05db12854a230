// What was counted before we counted (data/store/seed-counts.ts): of what is shown and was not asked about
// yet, the ingest thread is told, each thing once in a while, all of a moment in one message. Whoever looks
// at one account or one post waits a moment for it; a page of many does not, and its next reading has it.

import { MINUTE_MS } from '../../base/util/durations.ts'
import { LruMap } from '../../base/util/lru.ts'
import type { Writer } from '../../bridge/messages.ts'
import type { Db } from '../../data/store/db.ts'
import {
  type CountedScope,
  prepareSeedCounts,
  type SeedActor,
  type SeedPost,
} from '../../data/store/read/seed-counts.ts'
import { createWaits } from './waits.ts'

export type Counted = {
  /** The counts of these were read (posts.id); cheap. */
  postsRead(ids: Iterable<number>): void
  /** Undefined where it is not known in time, or our own are whole. */
  post(id: number, signal: AbortSignal): Promise<SeedPost | undefined>
  /** The same, without asking or waiting. */
  knownPost(id: number): SeedPost | undefined
  knownActor(uid: number): SeedActor | undefined
  /** Waits for these, where nothing is known of them yet. */
  actors(uids: readonly number[], signal: AbortSignal): Promise<void>
}

const MAX_REMEMBERED = 50_000
const JUDGED_AGAIN_AFTER_MS = 10 * MINUTE_MS
const MAX_A_MESSAGE = 500
const MAX_IN_FLIGHT = 4
const MAX_WAIT_MS = 1_200
/** The public AppView that tells them is out of reach, then. */
const MAX_IN_VAIN = 3

export function createCounted(parts: {
  db: Db
  scope: CountedScope
  writer: Writer
  now?: () => number
}): Counted {
  const { db, scope, writer, now = Date.now } = parts
  const waits = createWaits({ maxInVain: MAX_IN_VAIN })
  const reader = prepareSeedCounts(db, scope)
  const asker = createAsker(writer)
  const awaited = (names: string[], isThere: () => boolean, signal: AbortSignal) =>
    waits.awaited(names, { isThere, signal, maxWaitMs: MAX_WAIT_MS })

  return {
    postsRead: createJudge({ db, reader, asker, now }),

    async post(id, signal) {
      const known = reader.ofPost(id)
      if (reader.uncountedPosts([id], now()).length === 0) return known
      asker.ask({ posts: [id] })
      if (known) return known
      await awaited([`post ${id}`], () => reader.ofPost(id) !== undefined, signal)
      return reader.ofPost(id)
    },

    knownPost: (id) => reader.ofPost(id),
    knownActor: (uid) => reader.ofActor(uid),

    async actors(uids, signal) {
      const lacking = reader.uncountedActors(uids, now())
      asker.ask({ actors: lacking.map(({ uid }) => uid) })
      const unknown = lacking.filter(({ isKnown }) => !isKnown).map(({ uid }) => uid)
      if (unknown.length === 0) return
      const isThere = () => unknown.every((uid) => reader.ofActor(uid) !== undefined)
      const names = unknown.map((uid) => `account ${uid}`)
      await awaited(names, isThere, signal)
    },
  }
}

type Asker = {
  ask(wanted: { posts?: number[]; actors?: number[] }): void
  isBusy(): boolean
}

function createAsker(writer: Writer): Asker {
  let inFlight = 0
  const isBusy = () => inFlight >= MAX_IN_FLIGHT
  return {
    isBusy,
    ask({ posts = [], actors = [] }) {
      if (isBusy() || posts.length + actors.length === 0) return
      inFlight++
      writer
        .send({ kind: 'counts-requested', did: '', posts, actors })
        .catch(() => undefined) // a busy writer is asked again later
        .finally(() => inFlight--)
    },
  }
}

/** Asks about those of the posts read whose counts are not whole, a moment later and all at once. */
function createJudge(parts: {
  db: Db
  reader: ReturnType<typeof prepareSeedCounts>
  asker: Asker
  now: () => number
}): Counted['postsRead'] {
  const { db, reader, asker, now } = parts
  const judged = new LruMap<number, number>(MAX_REMEMBERED)
  const pending = new Set<number>()
  let isTicking = false

  function judge(): void {
    isTicking = false
    if (!db.open) return
    const posts = [...pending].slice(0, MAX_A_MESSAGE)
    for (const id of posts) pending.delete(id)
    const lacking = reader.uncountedPosts(posts, now()).map(({ id }) => id)
    // What can't be asked now is judged anew when it is shown again.
    if (asker.isBusy()) for (const id of lacking) judged.delete(id)
    asker.ask({ posts: lacking })
    if (pending.size > 0) judgeSoon()
  }

  function judgeSoon(): void {
    if (isTicking) return
    isTicking = true
    setImmediate(judge)
  }

  return (ids) => {
    const at = now()
    for (const id of ids) {
      if (at - (judged.get(id) ?? -Infinity) < JUDGED_AGAIN_AFTER_MS) continue
      judged.set(id, at)
      pending.add(id)
    }
    if (pending.size > 0) judgeSoon()
  }
}
