// The search thread, as long as there is one: started by a search, ended after five idle minutes, and
// replaced if it breaks or does not answer.

import { Worker } from 'node:worker_threads'
import type { Logger } from '../../base/obs/log.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import { within } from '../../base/util/waits.ts'
import type { SearchOrder, SearchReply, SearchThreadData } from './search-thread.ts'
import { tooManySearches } from './search-turns.ts'

export type SearchWorkerOptions = SearchThreadData & {
  log: Logger
  name: string
  /** A search ends by itself after a fraction of this, unless the disk hangs. */
  maxRunMs?: number
  /** Time without searches after which the thread ends. */
  idleMs?: number
}

type SearchWorker = {
  /**
   * One at a time.
   * @throws XRPCError 503 if the thread breaks or does not answer
   */
  run(order: SearchOrder): Promise<SearchReply>
  stop(): void
}

type Running = {
  worker: Worker
  /** Whether it has loaded; false if it ended before. */
  ready: PromiseWithResolvers<boolean>
  settle?: ((reply?: SearchReply) => void) | undefined
}

const MAX_RUN_MS = 5_000
/** A thread that is ended before it has loaded takes the process with it (Node.js 24.21.0), so it is left to load. */
const START_MS = 5_000
const IDLE_MS = 5 * MINUTE_MS
/** A search needs a few megabytes. */
const MEMORY = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 12 }

export function createSearchWorker(options: SearchWorkerOptions): SearchWorker {
  const { dataDir, cacheKib, log, name, maxRunMs = MAX_RUN_MS, idleMs = IDLE_MS } = options
  let current: Running | undefined
  let ending: Promise<unknown> | undefined
  let idle: NodeJS.Timeout | undefined

  function start(): Running {
    const workerData: SearchThreadData = { dataDir, cacheKib }
    const url = new URL('./search-thread.ts', import.meta.url)
    const worker = new Worker(url, { resourceLimits: MEMORY, workerData, name })
    const item: Running = { worker, ready: Promise.withResolvers<boolean>() }
    item.worker.unref()
    item.worker.on('message', (reply: SearchReply | 'ready') => {
      if (reply === 'ready') item.ready.resolve(true)
      else item.settle?.(reply)
    })
    item.worker.on('error', (err) => log.error({ err }, 'the search thread broke; another follows'))
    item.worker.on('exit', () => {
      if (current === item) current = undefined
      item.ready.resolve(false)
      item.settle?.()
    })
    return item
  }

  async function run(order: SearchOrder): Promise<SearchReply> {
    clearTimeout(idle)
    await ending
    current ??= start()
    const item = current
    if (!(await within(START_MS, item.ready.promise))) throw tooManySearches()
    const reply = await replyOf(item, order, maxRunMs)
    idle = setTimeout(stop, idleMs).unref()
    if (reply) return reply
    if (current === item) {
      log.warn({ seconds: maxRunMs / 1_000 }, 'a search did not end; its thread is replaced')
      current = undefined
      // It ends once its read of the index does; meanwhile, searches wait.
      ending = item.worker.terminate()
    }
    throw tooManySearches()
  }

  function stop(): void {
    clearTimeout(idle)
    current?.worker.postMessage({ kind: 'stop' } satisfies SearchOrder)
    current = undefined
  }

  return { run, stop }
}

/** Undefined if the thread ends, or too much time passes. */
async function replyOf(
  item: Running,
  order: SearchOrder,
  maxRunMs: number,
): Promise<SearchReply | undefined> {
  const replied = Promise.withResolvers<SearchReply | undefined>()
  const timer = setTimeout(() => replied.resolve(undefined), maxRunMs)
  item.settle = replied.resolve
  item.worker.postMessage(order)
  const reply = await replied.promise
  clearTimeout(timer)
  item.settle = undefined
  return reply
}
