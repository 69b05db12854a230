// Posts on their way to the writer: what comes while a batch is being written makes up the next one, so that many
// posts share one transaction. Each is answered when its own is committed. Where several come at once a batch waits
// for a moment before it goes: most of what a small one costs is its way to the writer and back.

import { setTimeout as pause } from 'node:timers/promises'
import { unavailable, XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { PostOutcome, TimelinePost } from '../../data/store/timeline-posts.ts'

export type Poster = {
  /** Posts on their way. */
  readonly waiting: number
  /** @throws XRPCError for what was not written. */
  post(one: TimelinePost): Promise<{ seq: number; receivedAt: number }>
}

type Waiting = {
  post: TimelinePost
  resolve: (outcome: PostOutcome) => void
  reject: (error: unknown) => void
}

const MAX_BATCH = 500
const MAX_WAITING = 5_000
const GATHERED_FOR_MS = 2
const AGAIN = { headers: { 'retry-after': '1' } }

/** Where they are committed, with an outcome for each. */
type Sink = {
  writeTimelines(request: { kind: 'post'; posts: TimelinePost[] }): Promise<PostOutcome[]>
}

export function createPoster(ingest: Sink): Poster {
  const queue: Waiting[] = []
  let isWriting = false
  let count = 0

  async function write(): Promise<void> {
    isWriting = true
    for (let last = queue.length; queue.length > 0; ) {
      if (last > 1 && queue.length < MAX_BATCH) await pause(GATHERED_FOR_MS)
      const batch = queue.splice(0, MAX_BATCH)
      last = batch.length
      try {
        const posts = batch.map(({ post }) => post)
        const outcomes = await ingest.writeTimelines({ kind: 'post', posts })
        for (const [i, one] of batch.entries()) one.resolve(outcomes[i]!)
      } catch (error) {
        for (const one of batch) one.reject(error)
      }
      count -= batch.length
    }
    isWriting = false
  }

  return {
    get waiting() {
      return count
    },
    async post(one) {
      if (count >= MAX_WAITING) throw unavailable('More is posted than can be written now')
      count++
      const outcome = await new Promise<PostOutcome>((resolve, reject) => {
        queue.push({ post: one, resolve, reject })
        // The others of this turn come along.
        if (!isWriting && queue.length === 1) setImmediate(() => void write())
      })
      if (outcome.ok) return outcome
      const { status, error, message } = outcome
      throw new XRPCError(status, error, message, status === 503 ? AGAIN : {})
    },
  }
}
