// The rate limits' counters against a naive map: across windows, with more keys than slots, and from two
// threads at once.

import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { CountTable, createCountBuffer } from '../../../src/data/shared-memory/count-table.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'

const WINDOW_SECONDS = 300
const START_MS = Date.parse('2026-11-01T12:00:00Z')

function tableOf(sets?: number) {
  const buffer = createCountBuffer(sets)
  return { buffer, table: new CountTable(buffer, { windowSeconds: WINDOW_SECONDS }) }
}

test('random spending matches a map of sums, window by window', () => {
  const random = createRandom(testSeed('counts'))
  const { table } = tableOf()
  const sums = new Map<string, { spent: number; endsAt: number }>()
  let nowMs = START_MS
  for (let i = 0; i < 20_000; i++) {
    nowMs += random.below(200)
    const key = `did:plc:${random.below(100)}`
    const points = 1 + random.below(5)
    const count = table.add(key, points, nowMs)
    const before = sums.get(key)
    const isOver = !before || before.endsAt <= Math.floor(nowMs / 1000)
    if (isOver) {
      expect(count.spent).toBe(points)
      const left = count.endsAt - Math.floor(nowMs / 1000)
      expect(left).toBeGreaterThan(0)
      expect(left).toBeLessThanOrEqual(WINDOW_SECONDS)
      sums.set(key, count)
    } else {
      const spent = before.spent + points
      expect(count).toEqual({ spent, endsAt: before.endsAt })
      sums.set(key, count)
    }
  }
})

test('a window lasts as long as stated, and windows end at different times', () => {
  const { table } = tableOf()
  const ends = new Set<number>()
  for (let i = 0; i < 50; i++) {
    const { endsAt } = table.add(`key${i}`, 1, START_MS)
    ends.add(endsAt)
    expect(table.add(`key${i}`, 1, endsAt * 1000 - 1).spent).toBe(2)
    expect(table.add(`key${i}`, 1, endsAt * 1000)).toEqual({
      spent: 1,
      endsAt: endsAt + WINDOW_SECONDS,
    })
  }
  expect(ends.size).toBeGreaterThan(10)
})

test('a flood of new keys takes no more memory, and heavy spenders keep their counts', () => {
  const { buffer, table } = tableOf(16)
  const bytes = buffer.byteLength
  const heavy = Array.from({ length: 4 }, (_, i) => `heavy${i}`)
  for (const key of heavy) table.add(key, 1000, START_MS)
  for (let i = 0; i < 10_000; i++) table.add(`2001:db8:${i.toString(16)}::/64`, 1, START_MS)
  expect(buffer.byteLength).toBe(bytes)
  for (const key of heavy) expect(table.add(key, 1, START_MS).spent).toBe(1001)
})

test('two threads that spend concurrently spend the sum', async () => {
  const { buffer, table } = tableOf()
  table.add('shared', 1, START_MS)
  const module = new URL('../../../src/data/shared-memory/count-table.ts', import.meta.url).href
  const script = `
    const { workerData } = require('node:worker_threads')
    import(workerData.module).then(({ CountTable }) => {
      const table = new CountTable(workerData.buffer, { windowSeconds: ${WINDOW_SECONDS} })
      for (let i = 0; i < 50000; i++) table.add('shared', 1, ${START_MS})
    })`
  const ended = Array.from({ length: 2 }, () => {
    const worker = new Worker(script, { eval: true, workerData: { buffer, module } })
    return new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject))
  })
  await Promise.all(ended)
  expect(table.add('shared', 1, START_MS).spent).toBe(100_002)
})
