// Several producers that post to a custom timeline, each retrying a post until it is acknowledged before the
// next, while a test kills the servers under them.

import { EventEmitter, once } from 'node:events'

type Answer = { status: number; body: { sequence_id: string } }

const PRODUCERS = 8
const AGAIN_MS = 50

type Posting = {
  /** Sequence ids of the acknowledged posts, by entity id. */
  acknowledged: ReadonlyMap<string, string>
  until(count: number): Promise<void>
  /** Resolves when no post is in flight. */
  end(): Promise<void>
}

/**
 * @param prepare - prepares the post with this id once, and returns a function that sends it under
 * an idempotency key: the identical post on each retry, since the key is refused with any other.
 * The function may fail.
 */
export function startPosting(prepare: (id: string) => () => Promise<Answer>): Posting {
  const acknowledged = new Map<string, string>()
  const progress = new EventEmitter()
  let isEnding = false
  let next = 0
  async function produce(): Promise<void> {
    while (!isEnding) {
      const id = `e${next++}`
      const post = prepare(id)
      for (let isDone = false; !isDone; ) {
        const answer = await post().catch(() => undefined)
        isDone = answer?.status === 200
        if (isDone) acknowledged.set(id, answer!.body.sequence_id)
        else await once(AbortSignal.timeout(AGAIN_MS), 'abort')
      }
      progress.emit('one')
    }
  }
  const producers = Array.from({ length: PRODUCERS }, produce)
  return {
    acknowledged,
    async until(count) {
      while (acknowledged.size < count) await once(progress, 'one')
    },
    async end() {
      isEnding = true
      await Promise.all(producers)
    },
  }
}
