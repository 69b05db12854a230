// How long members' pages take while other work runs, and how long an idle server's page takes at the same
// time, which is the machine's own noise. A separate process requests both at a steady rate.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { PageReport, WatchMessage, WatchOrder } from './page-watcher.ts'

export type PageWatch = {
  /** Discards the results so far. */
  begin(): void
  report(): Promise<PageReport>
  stop(): void
}

const EVERY_MS = 100

/**
 * @param everyMs - from one request to the next, whether or not it was answered
 * @param pid - also measures what the main thread of this process, the server's, does meanwhile
 */
export async function watchPages(
  pages: WatchOrder['pages'],
  { everyMs = EVERY_MS, pid }: { everyMs?: number; pid?: number } = {},
): Promise<PageWatch> {
  const script = join(import.meta.dirname, 'page-watcher.ts')
  const idle = fork(script, ['idle'])
  const watcher = fork(script, ['watch'])
  const end = () => [idle, watcher].map((child) => child.kill('SIGKILL'))
  process.once('exit', end)
  const next = async (child: typeof idle) => {
    const [message] = await once(child, 'message')
    return message as WatchMessage
  }
  const ready = await next(idle)
  if (ready.kind !== 'listening') throw new Error('the idle server did not listen')
  watcher.send({ pages, idle: ready.url, everyMs, pid } satisfies WatchOrder)
  return {
    begin: () => void watcher.send('begin'),
    report: async () => {
      const answer = next(watcher)
      watcher.send('report')
      const message = await answer
      if (message.kind !== 'report') throw new Error('the watcher sent no report')
      return message.report
    },
    stop: () => {
      process.off('exit', end)
      end()
    },
  }
}
