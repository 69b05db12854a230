// The searches of a serving thread: each waits for its turn, and runs on the search thread.

import { BadCursorError } from '../../answers/skeleton/page-cursor.ts'
import type {
  SearchCall,
  SearchFound,
  Searching,
  SearchKind,
  SearchRequest,
} from '../../answers/skeleton/search/searches.ts'
import { unavailable } from '../../base/atproto/xrpc-error.ts'
import type { SearchOrder, SearchReply } from './search-thread.ts'
import { createSearchTurns, tooManySearches } from './search-turns.ts'
import { createSearchWorker, type SearchWorkerOptions } from './search-worker.ts'

type Waiting = {
  order: SearchOrder
  time: SearchCall['time']
  sinceMs: number
  resolve: (found: SearchFound) => void
  reject: (error: unknown) => void
}

/** Since the start; `ms`: processor time of the search thread. */
export type SearchCounts = {
  waiting: number
  ran: number
  refused: number
  givenUp: number
  ms: number
}

/** Clients have given up by then. */
const MAX_WAIT_MS = 8_000

/**
 * Searches reject with BadCursorError; with XRPCError 429 if the asker has too many waiting; with
 * 503 if there are too many, or the search takes too long.
 */
export function createSearching(options: SearchWorkerOptions): Searching & {
  counts(): SearchCounts
  close(): void
} {
  const worker = createSearchWorker(options)
  const turns = createSearchTurns<Waiting>()
  const counts = { ran: 0, refused: 0, givenUp: 0, ms: 0 }
  let isWorking = false
  let isClosed = false

  async function work(): Promise<void> {
    isWorking = true
    for (let next = turns.next(); next; next = turns.next()) {
      const waiting = next
      if (performance.now() - waiting.sinceMs > MAX_WAIT_MS) giveUp(waiting, tooManySearches())
      else {
        await worker.run(waiting.order).then(
          (reply) => {
            counts.ran += 1
            counts.ms += reply.tookMs
            settle(waiting, reply)
          },
          (error: unknown) => giveUp(waiting, error),
        )
      }
    }
    isWorking = false
  }

  function giveUp({ reject }: Waiting, error: unknown): void {
    counts.givenUp += 1
    reject(error)
  }

  /** @throws XRPCError 429 or 503 */
  function queue(who: SearchCall['who'], waiting: Waiting): void {
    try {
      turns.add(who, waiting)
    } catch (error) {
      counts.refused += 1
      throw error
    }
  }

  function ask<K extends SearchKind>(kind: K) {
    return (request: SearchRequest<K>, { who, time }: SearchCall) =>
      new Promise<SearchFound<K>>((resolve, reject) => {
        if (isClosed) throw stopping()
        const settled = resolve as (found: SearchFound) => void
        const sinceMs = performance.now()
        queue(who, { order: { kind, request }, time, sinceMs, resolve: settled, reject })
        if (!isWorking) void work()
      })
  }

  function close(): void {
    isClosed = true
    for (let item = turns.next(); item; item = turns.next()) item.reject(stopping())
    worker.stop()
  }

  return {
    posts: ask('posts'),
    hits: ask('hits'),
    actors: ask('actors'),
    records: ask('records'),
    counts: () => ({ waiting: turns.waiting(), ...counts }),
    close,
  }
}

function settle({ time, resolve, reject }: Waiting, reply: SearchReply): void {
  time?.addElsewhere(reply.tookMs)
  if ('found' in reply) resolve(reply.found)
  else if ('error' in reply) reject(new Error(`a search failed: ${reply.error}`))
  else reject(new BadCursorError())
}

function stopping(): Error {
  return unavailable('The server is stopping')
}
