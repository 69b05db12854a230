// Starts the shipping thread, passes on what it logs, and stops it.

import { Worker } from 'node:worker_threads'
import type { Logger } from '../../../base/obs/log.ts'
import { within } from '../../../base/util/waits.ts'
import type { ThreadData, ThreadMessage } from './thread-data.ts'

/** For the last minute's changes; a store that is slower gets them after the next start. */
const STOP_MS = 5_000

/** After the thread broke, which a bug or a damaged database may cause. */
const AGAIN_MS = 60_000

/** The server goes on without it; the backup's age shows in metrics and the doctor. */
export function shipInThread(
  data: ThreadData,
  log: Pick<Logger, 'info' | 'warn'>,
): { stop(): Promise<void> } {
  let worker = start()
  let again: NodeJS.Timeout | undefined
  let isStopping = false

  function start(): Worker {
    const started = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: data,
      // Its descriptor of the database must not be closed (store/changed-pages.ts).
      trackUnmanagedFds: false,
    })
    started.on('message', ({ level, fields, message }: ThreadMessage) =>
      log[level](fields, message),
    )
    started.on('error', (error) => log.warn({ error: error.message }, 'the off-site backup broke'))
    started.once('exit', () => {
      if (isStopping) return
      again = setTimeout(() => {
        worker = start()
      }, AGAIN_MS)
    })
    return started
  }

  return {
    async stop() {
      isStopping = true
      if (again !== undefined) return clearTimeout(again)
      const ended = new Promise<true>((resolve) => worker.once('exit', () => resolve(true)))
      worker.postMessage('stop')
      if ((await within(STOP_MS, ended)) !== true) await worker.terminate()
    },
  }
}
