// How many bytes of answers a serving thread caches, by SLIPSTREAM_MEMORY_MB (base/config/memory.ts).
// Recomputed periodically: stored data grows while a server runs, and leaves less room for the cache. Also
// keeps the cache up to date while nobody reads: in a minute without requests, catching up changes more than
// the invalidations hold, and all answers would be dropped.

import type { Logger } from 'pino'
import type { ViewCache, WatchedCache } from '../../answers/cache/view-cache.ts'
import type { Config } from '../../base/config/config.ts'
import { answerCacheBytes } from '../../base/config/memory.ts'
import type { Db } from '../../data/store/db.ts'
import { countMembers } from '../../data/store/members/members.ts'

type Options = { config: Config; log: Logger; thread: number }
type Reading = {
  db: Db
  graph: { readonly edgeCount: number }
  actors: { readonly count: number }
}

const WORKED_OUT_EVERY_MS = 10 * 60_000
const UP_TO_DATE_EVERY_MS = 250
const MEGABYTE = 1e6
const NOTHING = { viewCache: 0, viewers: 0, hits: 0, misses: 0 }

type CachedAnswers = {
  /** The initial limit. */
  readonly maxBytes: number
  usage: ViewCache['usage']
  /** Limits this cache from now on. */
  watch(cache: WatchedCache): void
  close(): void
}

export function cacheAnswers(options: Options, reading: Reading): CachedAnswers {
  let cache: WatchedCache | undefined
  let isReported = false
  const workOut = () => {
    const { bytes, missing, sizes } = divided(options.config, reading)
    if (missing > 0 && !isReported && options.thread === 0) tell(options, { missing, sizes })
    isReported = missing > 0
    return bytes
  }
  const timer = setInterval(() => cache?.limitTo(workOut()), WORKED_OUT_EVERY_MS)
  const upToDate = setInterval(() => cache?.takeInvalidations(), UP_TO_DATE_EVERY_MS)
  timer.unref()
  upToDate.unref()
  return {
    maxBytes: workOut(),
    usage: () => cache?.usage() ?? NOTHING,
    watch: (watchedCache) => {
      cache = watchedCache
    },
    close() {
      clearInterval(timer)
      clearInterval(upToDate)
    },
  }
}

function divided(config: Config, { db, graph, actors }: Reading) {
  const sizes = { follows: graph.edgeCount, actors: actors.count, members: countMembers(db) }
  return { ...answerCacheBytes(sizes, config), sizes }
}

function tell(
  { config, log }: Options,
  { missing, sizes }: { missing: number; sizes: object },
): void {
  const { memoryMb } = config
  const hint = `Set it to ${memoryMb + Math.ceil(missing / MEGABYTE)} or more, or SLIPSTREAM_TIMELINE_LENGTH or SLIPSTREAM_TIMELINE_IDLE_DAYS lower.`
  log.warn({ memoryMb, ...sizes, hint }, 'SLIPSTREAM_MEMORY_MB is less than stored data takes')
}
