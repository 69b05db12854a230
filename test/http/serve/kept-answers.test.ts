// Answers are cached in the part of SLIPSTREAM_MEMORY_MB that stored state leaves, even when that has grown.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { keepAnswers } from '../../../src/http/serve/kept-answers.ts'
import { openEmpty } from '../../support/empty-database.ts'

const HOUR_MS = 3_600_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('grows and shrinks with the stored state, and reports once if it is too small', () => {
  const said: string[] = []
  const log = pino({}, { write: (line) => void said.push(line) })
  const db = openEmpty(mkdtempSync(join(tmpdir(), 'slipstream-kept-')))
  const config = loadConfig({ SLIPSTREAM_MEMORY_MB: '500' }, '/nonexistent/.env')
  const [graph, actors] = [{ edgeCount: 0 }, { count: 0 }]
  const kept = keepAnswers({ config, log, thread: 0 }, { db, graph, actors })
  const bounds = [kept.maxBytes]
  const usage = () => ({ viewCache: 1, viewers: 2, hits: 3, misses: 4 })
  kept.watch({ usage, keepAtMost: (bytes) => bounds.push(bytes) })
  for (const follows of [0, 14_000_000, 40_000_000, 80_000_000, 0]) {
    graph.edgeCount = follows
    vi.advanceTimersByTime(HOUR_MS)
  }
  const different = bounds.filter((bytes, i) => bytes !== bounds[i - 1])
  expect(different.map((bytes) => Math.round(bytes / 1e6))).toEqual([96, 60, 8, 96])
  expect(kept.usage()).toEqual(usage())
  expect(said.filter((line) => line.includes('is less than stored data takes'))).toHaveLength(1)
  const told = bounds.length
  kept.close()
  vi.advanceTimersByTime(HOUR_MS)
  expect(bounds).toHaveLength(told)
  db.close()
})
