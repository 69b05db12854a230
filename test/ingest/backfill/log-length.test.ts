// The database's log while a newcomer's cold start writes and no stream does: it is checkpointed throughout,
// and stays within its limit. Counted in pages.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { openWriter, type WriteDb } from '../../../src/data/store/db.ts'
import { logState, pagesOf } from '../../../src/data/store/files/checkpoint.ts'
import { type Checkpoints, startCheckpoints } from '../../../src/ingest/upkeep/disk/checkpoints.ts'
import { type BackfillWorld, startBackfillWorld } from '../../support/backfill-world.ts'

const log = pino({ enabled: false })
const AUTHORS = 60
/** Pages that storing one author's page of posts changes, whatever the log's limit. */
const ONE_TRANSACTION = 800

let world: BackfillWorld | undefined
let checkpoints: Checkpoints | undefined
let dataDir: string | undefined
afterEach(async () => {
  await checkpoints?.stop()
  await world?.close()
  if (dataDir) rmSync(dataDir, { recursive: true })
  checkpoints = world = dataDir = undefined
})

test('a cold start without a stream checkpoints the log, and waits when it is full', async () => {
  const limits = { startPages: 100, tailPages: 25, maxPages: 400 }
  let longest = 0
  let written = 0
  let before = 0
  const tendLog = (db: WriteDb) => {
    checkpoints = startCheckpoints({ db, log, limits })
    return () => {
      const { length } = logState(db)
      longest = Math.max(longest, length)
      written += length >= before ? length - before : length
      before = length
      return checkpoints!.tend()
    }
  }
  world = await startBackfillWorld({ tendLog })
  const member = await world.person('member')
  for (let i = 0; i < AUTHORS; i++) {
    const author = await world.person(`author${i}`)
    world.follow(member, author)
    for (let n = 0; n < 40; n++) world.post(author, `${n} of ${i} ${'words '.repeat(40)}`)
  }
  world.backfill.start()
  world.member(member)
  await world.settled()
  expect(written).toBeGreaterThan(2 * limits.maxPages)
  expect(longest).toBeLessThan(limits.maxPages + ONE_TRANSACTION)
})

test('a small database’s log is checkpointed before it is many times the database’s size', async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-log-length-'))
  const db = openWriter(dataDir)
  checkpoints = startCheckpoints({ db, log })
  db.exec('CREATE TABLE things (id INTEGER PRIMARY KEY, bytes BLOB)')
  const put = db.prepare('INSERT OR REPLACE INTO things VALUES (?, zeroblob(3000))')
  const write = db.transaction((from: number) => {
    for (let i = 0; i < 100; i++) put.run(((from + i) * 7) % 1_000)
  })
  let longest = 0
  for (let i = 0; i < 400; i++) {
    write(i * 100)
    await checkpoints.tend()
    longest = Math.max(longest, logState(db).length)
  }
  const pages = pagesOf(db)
  expect(pages).toBeLessThan(2_000)
  expect(longest).toBeGreaterThan(pages)
  expect(longest).toBeLessThan(10_000)
  await checkpoints.stop()
  db.close()
  checkpoints = undefined
})
