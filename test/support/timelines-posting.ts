// Several who post to a custom timeline one after the other, each again and again until it is acknowledged, while a test
// kills the servers under them.

import { EventEmitter, once } from 'node:events'

type Answer = { status: number; body: { sequence_id: string } }

const PRODUCERS = 8
const AGAIN_MS = 50

type Posting = {
  /** By what was posted: the sequence id of whatever was acknowledged so far. */
  acknowledged: ReadonlyMap<string, string>
  until(count: number): Promise<void>
  /** Resolves when nothing is under way any more. */
  end(): Promise<void>
}

/**
 * @param prepare - makes what has this id, once, and gives what posts it under an idempotency key: again and again the
 *   very same, since the key is refused with anything else. It may fail.
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
