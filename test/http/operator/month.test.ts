// What a server did in thirty days, from samples of its history, as the command tells it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { putHistory } from '../../../src/data/store/counts/history.ts'
import { putMeta } from '../../../src/data/store/meta-values.ts'
import { cliJson, runCli } from '../../support/cli.ts'
import { openEmpty } from '../../support/empty-database.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipstream-month-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const TEN_MINUTES = 600_000
const env = () => ({ DATA_DIR: folder })

test('sums what was read and answered, and says what changed', async () => {
  const db = openEmpty(folder)
  const now = Math.floor(Date.now() / TEN_MINUTES) * TEN_MINUTES
  const sample = { events_s: 10, requests_s: 2, failures_s: 0.5, answer_p99_ms: 40 }
  // Forty of the last eighty stretches of ten minutes; one of before thirty days is no longer told.
  putHistory(db, now - 31 * 24 * 6 * TEN_MINUTES, { ...sample, members: 1, lag_ms: 9e6 })
  for (let i = 0; i < 40; i++) {
    const at = now - (80 - 2 * i) * TEN_MINUTES
    const lag_ms = i === 7 ? 90_000 : 300
    putHistory(db, at, { ...sample, lag_ms, members: 5 + i, database_bytes: 1e9 + i })
  }
  db.close()
  expect(await cliJson(env(), ['month'])).toMatchObject({
    from: now - 80 * TEN_MINUTES,
    events: 40 * 600 * 10,
    answers: 40 * 600 * 2,
    failures: 40 * 600 * 0.5,
    answerP99Ms: 40,
    mostLagMs: 90_000,
    members: { from: 5, to: 44 },
    databaseBytes: { from: 1e9, to: 1e9 + 39 },
    streamBytes: 0,
  })
  const { stdout } = await runCli(env(), ['month'])
  expect(stdout).toMatch(/^ran +(49|50|48)[.\d]* % of that time$/m)
  expect(stdout).toContain('48,000 requests, of which 12,000 failed')
  expect(stdout).toMatch(/^members +44, \+39$/m)
})

test('counts an absence that leaves a sample in each of its slots', async () => {
  const db = openEmpty(folder)
  const now = Math.floor(Date.now() / TEN_MINUTES) * TEN_MINUTES
  for (let i = 20; i >= 0; i--) putHistory(db, now - i * TEN_MINUTES, { events_s: 1, members: 1 })
  const hole = (from: number, minutes: number) => ({ from, to: from + minutes * 60_000, ends: 1 })
  const before = now - 60 * 24 * 6 * TEN_MINUTES
  const holes = [hole(before, 99), hole(now - 12 * TEN_MINUTES - 60_000, 40)]
  putMeta(db, 'history.holes', JSON.stringify(holes))
  db.close()
  const { ran } = (await cliJson(env(), ['month'])) as { ran: number }
  expect(ran).toBeGreaterThan(0.79)
  expect(ran).toBeLessThan(0.83)
})

test('does not say how far it was behind where nothing arrived', async () => {
  const db = openEmpty(folder)
  const now = Math.floor(Date.now() / TEN_MINUTES) * TEN_MINUTES
  putHistory(db, now - TEN_MINUTES, { events_s: 0, requests_s: 1, lag_ms: 1_400_000, members: 0 })
  db.close()
  const { stdout } = await runCli(env(), ['month'])
  expect(stdout).toMatch(/^read +nothing: no event has arrived$/m)
  expect(stdout).not.toContain('behind')
})

test('says so before there is anything to tell', async () => {
  openEmpty(folder).close()
  const { stdout, code } = await runCli(env(), ['month'])
  expect(stdout).toMatch(/^Nothing yet/)
  expect(code).toBe(0)
})
