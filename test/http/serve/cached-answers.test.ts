// Answers are cached in the part of SLIPSTREAM_MEMORY_MB that stored state leaves, even when that has grown.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { INVALIDATION } from '../../../src/data/shared-memory/invalidation-kinds.ts'
import {
  InvalidationReader,
  InvalidationWriter,
} from '../../../src/data/shared-memory/invalidation-ring.ts'
import { cacheAnswers } from '../../../src/http/xrpc/cached-answers.ts'
import { openEmpty } from '../../support/empty-database.ts'

const HOUR_MS = 3_600_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('grows and shrinks with the stored state, and reports once if it is too small', () => {
  const lines: string[] = []
  const log = pino({}, { write: (line) => void lines.push(line) })
  const db = openEmpty(mkdtempSync(join(tmpdir(), 'slipstream-kept-')))
  const config = loadConfig({ SLIPSTREAM_MEMORY_MB: '500' }, '/nonexistent/.env')
  const [graph, actors] = [{ edgeCount: 0 }, { count: 0 }]
  const caches = cacheAnswers({ config, log, thread: 0 }, { db, graph, actors })
  const bounds = [caches.maxBytes]
  const usage = () => ({ viewCache: 1, viewers: 2, hits: 3, misses: 4 })
  caches.watch({ usage, limitTo: (bytes) => bounds.push(bytes), takeInvalidations() {} })
  for (const follows of [0, 14_000_000, 40_000_000, 80_000_000, 0]) {
    graph.edgeCount = follows
    vi.advanceTimersByTime(HOUR_MS)
  }
  const different = bounds.filter((bytes, i) => bytes !== bounds[i - 1])
  expect(different.map((bytes) => Math.round(bytes / 1e6))).toEqual([96, 60, 8, 96])
  expect(caches.usage()).toEqual(usage())
  expect(lines.filter((line) => line.includes('is less than stored data takes'))).toHaveLength(1)
  const notified = bounds.length
  caches.close()
  vi.advanceTimersByTime(HOUR_MS)
  expect(bounds).toHaveLength(notified)
  db.close()
})

test('keeps the cache up to date while nobody reads', () => {
  const log = pino({}, { write: () => undefined })
  const db = openEmpty(mkdtempSync(join(tmpdir(), 'slipstream-kept-')))
  const config = loadConfig({}, '/nonexistent/.env')
  const caches = cacheAnswers(
    { config, log, thread: 0 },
    { db, graph: { edgeCount: 0 }, actors: { count: 0 } },
  )
  const { buffer, ...writer } = ringOf()
  const reader = new InvalidationReader(buffer)
  let taken = 0
  const takeInvalidations = () => {
    const isComplete = reader.take(() => void taken++)
    expect(isComplete).toBe(true)
  }
  const usage = () => ({ viewCache: 0, viewers: 0, hits: 0, misses: 0 })
  caches.watch({ usage, limitTo() {}, takeInvalidations })
  for (let seconds = 0; seconds < 60; seconds++) {
    writer.add(20_000)
    vi.advanceTimersByTime(1_000)
  }
  expect(taken).toBe(60 * 20_000)
  caches.close()
  writer.add(1)
  vi.advanceTimersByTime(1_000)
  expect(taken).toBe(60 * 20_000)
  db.close()
})

function ringOf() {
  const writer = new InvalidationWriter()
  const add = (count: number) => {
    for (let i = 0; i < count; i++) writer.add(INVALIDATION.counts, i, 0)
  }
  return { buffer: writer.buffer, add }
}
