// A creator with thousands of records, of one moment, as programs make them, or each of its own: a page makes an
// object only of those that it needs, whatever their number.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openWriter } from '../../../../src/data/store/db.ts'
import { type Edge, type Pointer, periodStart } from '../../../../src/data/store/edges/edge.ts'
import { newestSubjects } from '../../../../src/data/store/edges/newest-subjects.ts'
import { NEWEST } from '../../../../src/data/store/edges/subject-lists.ts'

const COUNT = 20_000
const PERIOD = 170_000
const LIMIT = 100

test('a page of a crowded moment makes as many pointers as it has', () => {
  const { read, made } = listOf(() => PERIOD)
  const page = read(NEWEST)
  expect(page.map(({ subject }) => subject)).toEqual(numbersBelow(COUNT))
  expect(made()).toBe(LIMIT)
  const last = page.at(-1)!
  const next = read({ sortAt: last.sortAt, uid: last.subject })
  expect(next.map(({ subject }) => subject)).toEqual(numbersBelow(COUNT - LIMIT))
})

test('and so does one of a long list', () => {
  const { read, made } = listOf((i) => PERIOD + i)
  expect(read(NEWEST).map(({ subject }) => subject)).toEqual(numbersBelow(COUNT))
  expect(made()).toBe(LIMIT)
})

function numbersBelow(high: number): number[] {
  return Array.from({ length: LIMIT }, (_, i) => high - 1 - i)
}

function listOf(periodAt: (subject: number) => number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-crowded-'))
  const db = openWriter(dataDir)
  onTestFinished(() => {
    db.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  let count = 0
  const pointers = {
    subjects: Float64Array.from({ length: COUNT }, (_, i) => i),
    periods: Int32Array.from({ length: COUNT }, (_, i) => periodAt(i)),
    at(i: number): Pointer {
      count++
      const period = periodAt(i)
      return { subject: i, period, keyPeriod: period, keyHash: 0 }
    },
  }
  const table = {
    packedPointersOf: () => pointers,
    resolveAll: (_: unknown, uid: number, some: readonly Pointer[]) =>
      some.map(({ subject, period }): Edge => {
        const sortAt = periodStart(period)
        return { uid, rkey: `${subject}`, subject, sortAt, createdAt: sortAt }
      }),
  }
  return {
    read: (before: typeof NEWEST) => {
      count = 0
      return newestSubjects(db, table, { creator: 1, before, limit: LIMIT })
    },
    made: () => count,
  }
}
