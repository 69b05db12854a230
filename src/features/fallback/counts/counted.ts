// Counts from before this server counted (data/store/counts/seed-counts.ts). Posts and accounts on a page
// that lack them are reported to the ingest thread, each once per interval, in one message per turn. Requests for
// one account or one post wait briefly for them. A page of many does not wait: it has them when it is read again.

import { MINUTE_MS } from '../../../base/util/durations.ts'
import { LruMap } from '../../../base/util/lru.ts'
import type { Writer } from '../../../bridge/messages.ts'
import type { Db } from '../../../data/store/db.ts'
import {
  type CountedScope,
  prepareSeedCounts,
  type SeedActor,
  type SeedPost,
} from '../../../data/store/read/seed-counts.ts'
import { createWaits } from '../../../http/xrpc/waiting/waits.ts'

export type Counted = {
  /** Reports that the counts of these posts (posts.id) were read; cheap. */
  postsRead(ids: Iterable<number>): void
  /** Returns undefined if it does not arrive in time, or our own counts are complete. */
  post(id: number, signal: AbortSignal): Promise<SeedPost | undefined>
  /** The same without requesting or waiting. */
  knownPost(id: number): SeedPost | undefined
  knownActor(uid: number): SeedActor | undefined
  /** Waits for the accounts of which no such counts are known yet. */
  actors(uids: readonly number[], signal: AbortSignal): Promise<void>
}

const MAX_REMEMBERED = 50_000
const JUDGED_AGAIN_AFTER_MS = 10 * MINUTE_MS
const MAX_A_MESSAGE = 500
const MAX_IN_FLIGHT = 4
const MAX_WAIT_MS = 1_200
/** After this many waits without a result, the public AppView that supplies them counts as unreachable. */
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
      const missing = reader.uncountedActors(uids, now())
      asker.ask({ actors: missing.map(({ uid }) => uid) })
      const unknown = missing.filter(({ isKnown }) => !isKnown).map(({ uid }) => uid)
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
        .send({ kind: 'fallback/counts-requested', did: '', body: { posts, actors } })
        .catch(() => undefined) // a busy writer is asked again later
        .finally(() => inFlight--)
    },
  }
}

/** Requests the posts whose counts are incomplete, batched a moment after the read. */
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
    const missing = reader.uncountedPosts(posts, now()).map(({ id }) => id)
    // Posts that can't be requested now are checked again when they are next shown.
    if (asker.isBusy()) for (const id of missing) judged.delete(id)
    asker.ask({ posts: missing })
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
