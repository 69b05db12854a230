// Jobs survive everything: they are leased, done, released and leased again.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { HOUR_MS } from '../../../../src/base/util/durations.ts'
import { openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import {
  bringJobsForward,
  countJobs,
  enqueueJob,
  enqueueJobAgain,
  failJob,
  finishJob,
  releaseJobs,
  takeJobs,
} from '../../../../src/data/store/fetching/jobs.ts'

let db: WriteDb
let dataDir: string
const NOW = 1_793_534_400_000

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-jobs-'))
  db = openWriter(dataDir)
})
afterEach(() => {
  db.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const names = (limit = 10, now = NOW) =>
  takeJobs(db, now, limit).map((job) => `${job.kind} ${job.subject}`)

it('leases the most urgent first, each once while its lease runs', () => {
  enqueueJob(db, 'post', 1)
  enqueueJob(db, 'member', 2)
  enqueueJob(db, 'post', 3, 10)
  enqueueJob(db, 'post', 1)
  expect(names(2)).toEqual(['member 2', 'post 3'])
  expect(names()).toEqual(['post 1'])
  expect(names()).toEqual([])
  expect(names(10, NOW + HOUR_MS)).toHaveLength(3)
})

it('leases again after a restart the jobs of a stopped process', () => {
  enqueueJob(db, 'post', 1)
  expect(names()).toEqual(['post 1'])
  db.close()
  db = openWriter(dataDir)
  releaseJobs(db, NOW)
  expect(names()).toEqual(['post 1'])
})

it('leases again after a restart a job taken a second time, after a failure', () => {
  enqueueJob(db, 'post', 1)
  const [job] = takeJobs(db, NOW, 1)
  failJob(db, job!, { error: 'refused', now: NOW })
  expect(names(1, NOW + HOUR_MS)).toEqual(['post 1'])
  releaseJobs(db, NOW)
  expect(names(1, NOW + HOUR_MS)).toEqual(['post 1'])
})

it('is done once, unless the world changed meanwhile', () => {
  enqueueJob(db, 'repo', 1)
  const [job] = takeJobs(db, NOW, 1)
  enqueueJobAgain(db, 'repo', 1)
  finishJob(db, job!)
  const [again] = takeJobs(db, NOW, 1)
  expect(again).toMatchObject({ kind: 'repo', subject: 1 })
  finishJob(db, again!)
  expect(countJobs(db)).toEqual({})
})

it('waits longer after each failure, and is given up in the end', () => {
  enqueueJob(db, 'profile', 1)
  let now = NOW
  const delays: number[] = []
  for (;;) {
    const [job] = takeJobs(db, now, 1)
    expect(job).toBeDefined()
    if (failJob(db, job!, { error: 'no answer', now }) === 'gave-up') break
    expect(takeJobs(db, now, 1)).toEqual([])
    const due = db.prepare<[], number>('SELECT not_before FROM jobs').pluck().get()!
    delays.push(due - now)
    now = due
  }
  expect(delays.length).toBe(11)
  expect(delays[0]).toBeLessThan(10_000)
  expect(delays.at(-1)).toBeGreaterThan(HOUR_MS / 2)
  expect(countJobs(db)).toEqual({})
})

it('waits as long as the other side asks', () => {
  enqueueJob(db, 'profile', 1)
  const [job] = takeJobs(db, NOW, 1)
  failJob(db, job!, { error: '429', now: NOW, retryAfterMs: 2 * HOUR_MS })
  releaseJobs(db, NOW)
  expect(takeJobs(db, NOW + HOUR_MS, 1)).toEqual([])
  expect(takeJobs(db, NOW + 2 * HOUR_MS, 1)).toHaveLength(1)
})

it('waits no longer than before when the clock is set back, whether the server runs or not', () => {
  for (const subject of [1, 2]) enqueueJob(db, 'profile', subject)
  const ahead = NOW + 26 * HOUR_MS
  for (const job of takeJobs(db, ahead, 2)) failJob(db, job, { error: 'no answer', now: ahead })
  expect(takeJobs(db, NOW + HOUR_MS, 2)).toEqual([])
  bringJobsForward(db, 26 * HOUR_MS)
  expect(takeJobs(db, NOW, 2)).toEqual([])
  const again = takeJobs(db, NOW + 60_000, 2)
  expect(again).toHaveLength(2)
  for (const job of again) failJob(db, job, { error: 'no answer', now: ahead })
  releaseJobs(db, NOW)
  expect(takeJobs(db, NOW, 2)).toHaveLength(2)
})
