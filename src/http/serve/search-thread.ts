// A thread that only searches, for one serving thread (searching.ts): a read of the search index cannot be
// interrupted, and would hold up every other request where it runs. One search at a time, on a read-only
// connection of its own.

import { parentPort, workerData } from 'node:worker_threads'
import { BadCursorError } from '../../answers/skeleton/page-cursor.ts'
import {
  createSearches,
  type SearchFound,
  type SearchKind,
  type SearchRequest,
} from '../../answers/skeleton/search/searches.ts'
import { threadMs } from '../../base/util/thread-time.ts'
import { openReader } from '../../data/store/db.ts'

export type SearchThreadData = { dataDir: string; cacheKib: number }
export type SearchOrder = { kind: SearchKind; request: SearchRequest } | { kind: 'stop' }
type Outcome = { found: SearchFound } | { isBadCursor: true } | { error: string }
/** `tookMs`: processor time. */
export type SearchReply = Outcome & { tookMs: number }

const port = parentPort!
const { dataDir, cacheKib } = workerData as SearchThreadData
const db = openReader(dataDir, { cacheKib })
const searches = createSearches(db)

port.on('message', (order: SearchOrder) => {
  if (order.kind !== 'stop') {
    const startedMs = threadMs()
    const outcome = outcomeOf(order.kind, order.request)
    const reply: SearchReply = { ...outcome, tookMs: threadMs() - startedMs }
    return port.postMessage(reply)
  }
  db.close()
  port.close()
})

port.postMessage('ready')

function outcomeOf(kind: SearchKind, request: SearchRequest): Outcome {
  // Each kind comes with a request of that kind (searching.ts).
  const search = searches[kind] as (request: SearchRequest) => SearchFound
  try {
    return { found: search(request) }
  } catch (error) {
    if (error instanceof BadCursorError) return { isBadCursor: true }
    return { error: (error as Error).stack ?? String(error) }
  }
}
