// Keys that count once, against a naive map: until they end, in a full table, and from several threads at once.

import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { createOnceBuffer, OnceTable } from '../../../src/data/shared-memory/once-table.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'

const SEED = testSeed('once')
const START_MS = Date.parse('2026-11-01T12:00:00Z')
const MINUTE_MS = 60_000

test(`random uses match a map of ends (seed ${SEED})`, () => {
  const random = createRandom(SEED)
  const table = new OnceTable(createOnceBuffer())
  const ends = new Map<string, number>()
  let nowMs = START_MS
  for (let i = 0; i < 20_000; i++) {
    nowMs += random.below(100)
    const key = `token ${random.below(2_000)}`
    const isHeld = (ends.get(key) ?? 0) >= Math.floor(nowMs / 1000)
    const untilMs = nowMs + random.below(2 * MINUTE_MS)
    expect(table.use(key, untilMs, nowMs)).toBe(!isHeld)
    if (!isHeld) ends.set(key, Math.ceil(untilMs / 1000))
  }
})

test('a key is remembered up to its last moment', () => {
  const table = new OnceTable(createOnceBuffer())
  const untilMs = START_MS + MINUTE_MS + 1
  expect(table.use('one', untilMs, START_MS)).toBe(true)
  expect(table.use('one', untilMs, untilMs)).toBe(false)
  expect(table.use('one', untilMs + MINUTE_MS, untilMs + MINUTE_MS)).toBe(true)
})

test('however many keys there are, none counts twice, and long ones don’t displace short ones', () => {
  const buffer = createOnceBuffer(4)
  const table = new OnceTable(buffer)
  const bytes = buffer.byteLength
  const hourMs = START_MS + 60 * MINUTE_MS
  for (let i = 0; i < 1_000; i++) table.use(`long ${i}`, hourMs, START_MS)
  const short = Array.from({ length: 8 }, (_, i) => `short ${i}`)
  const soonMs = START_MS + MINUTE_MS
  expect(short.map((key) => table.use(key, soonMs, START_MS))).toEqual(short.map(() => true))
  for (let i = 0; i < 1_000; i++) table.use(`longer ${i}`, hourMs + i, START_MS)
  expect(short.map((key) => table.use(key, soonMs, START_MS))).toEqual(short.map(() => false))
  // A table that is full of keys with the same end takes no more of them, until they have ended.
  const many = Array.from({ length: 1_000 }, (_, i) => `many ${i}`)
  const taken = many.filter((key) => table.use(key, soonMs, START_MS))
  expect(taken.length).toBeLessThanOrEqual(32)
  expect(taken.filter((key) => table.use(key, soonMs, START_MS))).toEqual([])
  const laterMs = soonMs + 2_000
  expect(table.use('later', laterMs, laterMs)).toBe(true)
  expect(buffer.byteLength).toBe(bytes)
})

test('of the same key on several threads at once, at most one use is the first', async () => {
  const buffer = createOnceBuffer()
  const module = new URL('../../../src/data/shared-memory/once-table.ts', import.meta.url).href
  const keys = 20_000
  const script = `
    const { workerData, parentPort } = require('node:worker_threads')
    import(workerData.module).then(({ OnceTable }) => {
      const table = new OnceTable(workerData.buffer)
      const first = []
      parentPort.once('message', () => {
        for (let i = 0; i < ${keys}; i++) {
          if (table.use('key ' + i, ${START_MS + MINUTE_MS}, ${START_MS})) first.push(i)
        }
        parentPort.postMessage(first)
        parentPort.close()
      })
      parentPort.postMessage('ready')
    })`
  const workers = Array.from(
    { length: 3 },
    () => new Worker(script, { eval: true, workerData: { buffer, module } }),
  )
  const next = (worker: Worker) =>
    new Promise<unknown>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject)
    })
  await Promise.all(workers.map(next))
  const answers = workers.map(next)
  for (const worker of workers) worker.postMessage('go')
  const firsts = ((await Promise.all(answers)) as number[][]).flat()
  expect(new Set(firsts).size).toBe(firsts.length)
  // Two threads that meet at the same key may both be refused, which is rare.
  expect(firsts.length).toBeGreaterThan(keys * 0.99)
})
