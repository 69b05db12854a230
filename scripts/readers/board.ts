// The board: a local page, updated every second, that compares what readers experience at each server, with the history
// of the run for whoever opens it later.

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PAGE } from './board-page.ts'
import type { Figures } from './figures.ts'
import type { Point } from './history.ts'

/** Sent to watchers. */
type Scene = Figures & { point?: Point }

type Board = { address: string; show(figures: Scene): void; close(): void }

const MAX_WATCHERS = 20

/** @param history - so far, oldest first */
export async function openBoard(port: number, history: () => readonly Point[]): Promise<Board> {
  const watchers = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    if (request.url === '/figures' && watchers.size < MAX_WATCHERS) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      response.flushHeaders()
      watchers.add(response)
      response.once('close', () => watchers.delete(response))
      return
    }
    if (request.url === '/history') {
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      response.end(JSON.stringify(history()))
      return
    }
    response.writeHead(request.url === '/' ? 200 : 404, {
      'content-type': 'text/html; charset=utf-8',
    })
    response.end(request.url === '/' ? PAGE : '')
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    show(figures) {
      const message = `data: ${JSON.stringify(figures)}\n\n`
      // Slow clients skip this update and get the next one.
      for (const watcher of watchers) if (!watcher.writableNeedDrain) watcher.write(message)
    },
    close() {
      for (const watcher of watchers) watcher.destroy()
      server.close()
    },
  }
}
