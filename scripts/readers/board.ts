// The board: a local page, updated every second, that compares what readers experience at each server.

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Figures } from './figures.ts'

export type Board = { address: string; show(figures: Figures): void; close(): void }

const MAX_WATCHERS = 20

export async function openBoard(port: number): Promise<Board> {
  const watchers = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    if (request.url === '/figures' && watchers.size < MAX_WATCHERS) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      response.flushHeaders()
      watchers.add(response)
      response.once('close', () => watchers.delete(response))
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
      for (const one of watchers) if (!one.writableNeedDrain) one.write(message)
    },
    close() {
      for (const one of watchers) one.destroy()
      server.close()
    },
  }
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Simulated readers</title>
<style>
  :root { color-scheme: light dark }
  body { font: 15px system-ui, sans-serif; margin: 2rem }
  main { display: flex; flex-wrap: wrap; gap: 2rem }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums }
  td, th { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #8884 }
  td:first-child, th:first-child { text-align: left }
  .best { font-weight: 700; color: #1a7f37 }
  .failed { color: #cf222e }
</style>
<h1>Simulated readers</h1>
<p id="head">Waiting for the first figures …</p>
<main></main>
<script>
  const make = (tag, text, kind) => {
    const element = document.createElement(tag)
    if (text !== undefined) element.textContent = text
    if (kind) element.className = kind
    return element
  }
  const row = (tag, cells, kind) => {
    const one = make('tr', undefined, kind)
    one.append(...cells.map((cell) => make(tag, cell)))
    return one
  }
  const card = ({ name, methods, timelinesPerSecond, lagMs, lastFailure }) => {
    const section = make('section')
    const lag = lagMs === undefined ? 'lag unknown' : Math.round(lagMs) + ' ms behind the stream'
    const table = make('table')
    table.append(row('th', ['', 'count', 'p50 ms', 'p99 ms', 'failed']))
    for (const [act, one] of Object.entries(methods)) {
      const cells = [act, one.count, one.p50.toFixed(1), one.p99.toFixed(1) + (one.isBest ? ' ✓' : ''), one.failed]
      table.append(row('td', cells, one.isBest ? 'best' : ''))
    }
    section.append(make('h2', name), make('p', timelinesPerSecond.toFixed(1) + ' timelines/s, ' + lag), table)
    if (lastFailure) section.append(make('p', lastFailure, 'failed'))
    return section
  }
  new EventSource('/figures').onmessage = ({ data }) => {
    const { seconds, readers, eventsPerSecond, servers, winner } = JSON.parse(data)
    document.getElementById('head').textContent =
      readers + ' readers, ' + Math.round(seconds) + ' s, ' + eventsPerSecond.toFixed(0) + ' events/s' +
      (winner ? '; ' + winner + ' is quicker at most' : '')
    document.querySelector('main').replaceChildren(...servers.map(card))
  }
</script>
</html>
`
