// The rows of what the streams received: sums by day, and what they make of a month.

import { expect, test } from 'vitest'
import { addStreamBytes, streamBytes } from '../../../../src/data/store/stream/stream-bytes.ts'
import { openEmpty } from '../../../support/empty-database.ts'
import { freshDataDir } from '../../../support/slipstream-process.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 10, 20, 12)
const SOURCE = { host: 'wss://jet.example', wire: 'v2', use: 'stream' }

function sockets(received: number, seconds: number) {
  return { ...SOURCE, kind: '', frames: 0, received, plain: 0, seconds }
}

test('a month ahead is the pace of the time in which the server ran', () => {
  const db = openEmpty(freshDataDir())
  addStreamBytes(db, NOW - DAY_MS, [sockets(6e9, 43_200)])
  addStreamBytes(db, NOW, [sockets(2e9, 21_600)])
  addStreamBytes(db, NOW, [sockets(1e9, 21_600)])
  expect(streamBytes(db, NOW)).toMatchObject({
    today: 3e9,
    thisMonth: 9e9,
    dayAhead: 9e9,
    monthAhead: 270e9,
    sources: [{ ...SOURCE, bytes: 9e9 }],
  })
})

test('nothing is foretold from a few minutes, nor from days that are long past', () => {
  const db = openEmpty(freshDataDir())
  addStreamBytes(db, NOW - 8 * DAY_MS, [sockets(9e9, 80_000)])
  addStreamBytes(db, NOW, [sockets(1e6, 300)])
  const facts = streamBytes(db, NOW)
  expect([facts.dayAhead, facts.monthAhead]).toEqual([undefined, undefined])
  expect([facts.today, facts.thisMonth]).toEqual([1e6, 9e9 + 1e6])
})

test('collections are listed by size, and rows older than two months go', () => {
  const db = openEmpty(freshDataDir())
  const row = (kind: string, received: number) => {
    return { ...SOURCE, kind, frames: 2, received, plain: received * 2, seconds: 0 }
  }
  addStreamBytes(db, NOW - 70 * DAY_MS, [sockets(5, 5)])
  addStreamBytes(db, NOW, [row('app.bsky.feed.post', 10), row('app.bsky.feed.like', 30)])
  addStreamBytes(db, NOW, [row('app.bsky.feed.post', 5)])
  expect(streamBytes(db, NOW).collections).toEqual([
    { kind: 'app.bsky.feed.like', frames: 2, received: 30, plain: 60 },
    { kind: 'app.bsky.feed.post', frames: 4, received: 15, plain: 30 },
  ])
  const days = db.prepare('SELECT DISTINCT day FROM stream_bytes').pluck().all()
  expect(days).toEqual([Math.floor(NOW / DAY_MS)])
})
