// Sends posts to the writer: posts that arrive while a batch is being written make up the next one, so that
// many share one transaction. Each is answered when it is committed. While several arrive at once, a batch
// waits for a moment before it is sent: most of the cost of a small one is the trip to the writer and back.

import { setTimeout as pause } from 'node:timers/promises'
import { unavailable, XRPCError } from '../../../base/atproto/xrpc-error.ts'
import { isoTime } from '../../../base/util/iso-time.ts'
import { eventIdIn } from '../sources/event-json.ts'
import type { PostedEvent, PostOutcome, TimelinePost } from '../store/programs/timeline-posts.ts'

export type Poster = {
  /** Number of posts not yet answered. */
  readonly waiting: number
  /** @throws XRPCError if the post was not written */
  post(timelinePost: TimelinePost): Promise<PostedEvent>
}

/** A posted event as its producer is answered. */
export function postedFields({ name }: { name: string }, { seq, receivedAt }: PostedEvent) {
  return {
    event_id: eventIdIn(`custom:${name}`, seq),
    sequence_id: String(seq),
    received_at: isoTime(receivedAt),
  }
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

/** Commits posts and returns an outcome for each. */
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
        for (const [i, item] of batch.entries()) item.resolve(outcomes[i]!)
      } catch (error) {
        for (const item of batch) item.reject(error)
      }
      count -= batch.length
    }
    isWriting = false
  }

  return {
    get waiting() {
      return count
    },
    async post(timelinePost) {
      if (count >= MAX_WAITING) throw unavailable('Too many posts are waiting to be written')
      count++
      const outcome = await new Promise<PostOutcome>((resolve, reject) => {
        queue.push({ post: timelinePost, resolve, reject })
        // Lets other posts of this turn join the batch.
        if (!isWriting && queue.length === 1) setImmediate(() => void write())
      })
      if (outcome.ok) return outcome
      const { status, error, message, stored } = outcome
      const fields = stored && { fields: postedFields(timelinePost, stored) }
      throw new XRPCError(status, error, message, { ...(status === 503 && AGAIN), ...fields })
    },
  }
}
