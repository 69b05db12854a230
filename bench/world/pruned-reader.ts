// A thread that reads pages of feeds one after another, as a serving thread does, and reports the longest
// time.

import { parentPort, workerData } from 'node:worker_threads'
import { openReader } from '../../src/data/store/db.ts'

const PAUSE_MS = 2
const port = parentPort!
const db = openReader((workerData as { dataDir: string }).dataDir)
const highest = db.prepare<[], number>('SELECT max(uid) FROM actors').pluck().get()!
const page = db.prepare(
  `SELECT p.id, p.record, c.likes FROM posts p LEFT JOIN post_counts c ON c.post = p.id
    WHERE p.uid = +? AND p.state = 1 ORDER BY p.sort_at DESC LIMIT 50`,
)
let longestMs = 0
let at = 0

const timer = setInterval(() => {
  at = (at * 7919 + 1) % highest
  const began = performance.now()
  page.all(at)
  longestMs = Math.max(longestMs, performance.now() - began)
}, PAUSE_MS)

port.on('message', () => {
  clearInterval(timer)
  port.postMessage(longestMs)
  db.close()
})
port.postMessage('ready')
