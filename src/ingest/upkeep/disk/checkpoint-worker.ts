// The checkpoint thread, as long as there is one: started by a pass and ended after idle minutes, since its heap takes
// 20 MB of memory, which a small place has no use for. If it ends by itself there is none any more.

import { Worker } from 'node:worker_threads'
import type { Logger } from '../../../base/obs/log.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import type { Db } from '../../../data/store/db.ts'

type CheckpointWorker = {
  /** One pass at a time; resolves after it, or once the thread has ended. */
  copy(): Promise<void>
  /** Whether it ended by itself, or was stopped. */
  isBroken(): boolean
  stop(): Promise<void>
}

type Running = { worker: Worker; exited: Promise<void>; copied?: (() => void) | undefined }

const IDLE_MS = 5 * MINUTE_MS
/** Three semi-spaces of 1 MB: it allocates next to nothing. */
const YOUNG_MB = 3

export function createCheckpointWorker(options: {
  db: Db
  log: Pick<Logger, 'warn'>
  idleMs?: number
}): CheckpointWorker {
  const { db, log, idleMs = IDLE_MS } = options
  let current: Running | undefined
  let ending: Promise<void> | undefined
  let isBroken = false
  let idle: NodeJS.Timeout | undefined

  function start(): Running {
    const worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      workerData: { file: db.name },
    })
    const exit = Promise.withResolvers<void>()
    const item: Running = { worker, exited: exit.promise }
    worker.on('message', () => item.copied?.())
    worker.on('error', (error) => log.warn({ error: error.message }, 'the checkpoint thread ended'))
    worker.once('exit', () => {
      if (current === item) isBroken = true
      item.copied?.()
      exit.resolve()
    })
    return item
  }

  async function copy(): Promise<void> {
    if (isBroken) return
    clearTimeout(idle)
    current ??= start()
    const item = current
    const pass = Promise.withResolvers<void>()
    item.copied = pass.resolve
    item.worker.postMessage('copy')
    await pass.promise
    item.copied = undefined
    idle = setTimeout(end, idleMs).unref()
  }

  /** It closes its connection first; a pass that follows starts another thread. */
  function end(): void {
    clearTimeout(idle)
    current?.worker.postMessage('stop')
    ending = current?.exited ?? ending
    current = undefined
  }

  return {
    copy,
    isBroken: () => isBroken,
    async stop() {
      isBroken = true
      end()
      await ending
    },
  }
}
