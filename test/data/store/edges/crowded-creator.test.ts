// A creator with thousands of records of one moment, as programs make them: a page looks at each pointer a few
// times, whatever their number, and sorts none of them.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openWriter } from '../../../../src/data/store/db.ts'
import { type Edge, type Pointer, periodStart } from '../../../../src/data/store/edges/edge.ts'
import { newestSubjects } from '../../../../src/data/store/edges/newest-subjects.ts'
import { NEWEST } from '../../../../src/data/store/edges/subject-lists.ts'

const COUNT = 20_000
const LOOKS = 2.5
const PERIOD = 170_000
const LIMIT = 100
const AT_MS = periodStart(PERIOD)
const MOMENT = { sortAt: AT_MS, createdAt: AT_MS }

test('a page of a crowded moment looks at each pointer a few times', () => {
  const { read, looks } = crowded()
  const page = read(NEWEST)
  expect(page.map(({ subject }) => subject)).toEqual(numbersBelow(COUNT))
  expect(looks()).toBeLessThan(COUNT * LOOKS)
  const last = page.at(-1)!
  const next = read({ sortAt: last.sortAt, uid: last.subject })
  expect(next.map(({ subject }) => subject)).toEqual(numbersBelow(COUNT - LIMIT))
})

function numbersBelow(high: number): number[] {
  return Array.from({ length: LIMIT }, (_, i) => high - 1 - i)
}

function crowded() {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-crowded-'))
  const db = openWriter(dataDir)
  onTestFinished(() => {
    db.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  let count = 0
  const pointers = Array.from({ length: COUNT }, (_, i): Pointer => {
    const times = { period: PERIOD, keyPeriod: PERIOD, keyHash: 0 }
    return {
      ...times,
      get subject() {
        count++
        return i
      },
    }
  })
  const table = {
    pointersOf: () => pointers,
    resolveAll: (_: unknown, uid: number, some: readonly Pointer[]) =>
      some.map(({ subject }): Edge => ({ uid, rkey: `${subject}`, subject, ...MOMENT })),
  }
  return {
    read: (before: typeof NEWEST) => {
      count = 0
      return newestSubjects(db, table, { creator: 1, before, limit: LIMIT })
    },
    looks: () => count,
  }
}
