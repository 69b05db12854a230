// A writer that never waits for a checkpoint, and a log that stays short nevertheless.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Db, openReadOnly, openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import { copyLog, logState } from '../../../../src/data/store/files/checkpoint.ts'
import {
  type Checkpoints,
  startCheckpoints,
} from '../../../../src/ingest/upkeep/disk/checkpoints.ts'
import { createRandom } from '../../../support/random.ts'

const log = pino({ enabled: false })
const limits = { startPages: 200, tailPages: 20, maxPages: 5_000 }
const random = createRandom(5)

let dataDir: string
let db: WriteDb
let checkpoints: Checkpoints

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-checkpoints-'))
  db = openWriter(dataDir)
  db.exec('CREATE TABLE things (id INTEGER PRIMARY KEY, bytes BLOB)')
  db.pragma('wal_checkpoint(TRUNCATE)') // of everything that the migrations wrote
  checkpoints = startCheckpoints({ db, log, limits })
})

afterEach(async () => {
  await checkpoints.stop()
  db.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Changes about ten pages in one transaction. */
function write(): void {
  const put = db.prepare('INSERT OR REPLACE INTO things VALUES (?, zeroblob(1000))')
  db.transaction(() => {
    for (let i = 0; i < 10; i++) put.run(random.below(20_000))
  })()
}

const count = (from: Db) => from.prepare<[], number>('SELECT count(*) FROM things').pluck().get()

test('the log restarts again and again while the writer continues', async () => {
  let restarts = 0
  let longest = 0
  for (let before = 0; restarts < 5; ) {
    write()
    await checkpoints.tend()
    const { length } = logState(db)
    if (length < before) restarts++
    longest = Math.max(longest, length)
    before = length
    await turn()
  }
  expect(longest).toBeGreaterThanOrEqual(limits.startPages)
  expect(longest).toBeLessThan(limits.maxPages + 200)
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
})

test('a long-running reader holds up nothing but the log', async () => {
  write()
  const reader = openReadOnly(dataDir)
  reader.exec('BEGIN')
  const seen = count(reader)
  for (let i = 0; i < 200; i++) {
    write()
    await checkpoints.tend()
    await turn()
  }
  expect(logState(db).length).toBeGreaterThan(1000)
  expect(count(reader)).toBe(seen)
  reader.exec('COMMIT')
  expect(count(reader)).toBe(count(db))
  reader.close()
  for (let length = Infinity; length > limits.startPages; length = logState(db).length) {
    write()
    await checkpoints.tend()
    await turn()
  }
})

test('all waiters at a full log resume when it is copied', async () => {
  await checkpoints.stop()
  checkpoints = startCheckpoints({ db, log, limits: { ...limits, maxPages: 400 } })
  for (let round = 0; round < 20; round++) {
    // The thread copies while the log fills up.
    while (logState(db).length < limits.startPages) write()
    while (!checkpoints.tend()) write()
    const waiting = [1, 2, 3, 4].map(() => checkpoints.tend())
    expect(waiting).not.toContain(undefined)
    await Promise.all(waiting)
    write()
    expect(logState(db).length).toBeLessThan(limits.startPages)
  }
})

test('concurrent writers all finish', async () => {
  await checkpoints.stop()
  checkpoints = startCheckpoints({ db, log, limits: { ...limits, maxPages: 400 } })
  const written = await Promise.all(
    [1, 2, 3].map(async () => {
      for (let writes = 0; ; ) {
        write()
        if (++writes === 200) return writes
        await checkpoints.tend()
      }
    }),
  )
  expect(written).toEqual([200, 200, 200])
})

test('there is a thread only from the first pass until it is idle, and then another', async () => {
  await checkpoints.stop()
  const started: Worker[] = []
  const note = (worker: Worker) => started.push(worker)
  process.on('worker', note)
  checkpoints = startCheckpoints({ db, log, limits, idleMs: 0 })
  expect(started).toEqual([])
  while (started.length < 3) {
    write()
    await checkpoints.tend()
    await turn()
  }
  process.off('worker', note)
  await checkpoints.stop()
  expect(started.map(({ threadId }) => threadId)).toEqual([-1, -1, -1])
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
})

test('without its thread the writer copies by itself', async () => {
  await checkpoints.stop()
  for (let i = 0; i < 100; i++) {
    write()
    await checkpoints.tend()
    expect(logState(db).length).toBeLessThan(limits.startPages + 100)
  }
})

test('reads the log’s state from its pages, without copying', () => {
  write()
  const { length, copied } = logState(db)
  expect(length).toBeGreaterThan(copied)
  expect(logState(db)).toEqual({ length, copied })
  expect(copyLog(db)).toEqual({ length, copied: length })
  expect(logState(db)).toEqual({ length, copied: length })
})
