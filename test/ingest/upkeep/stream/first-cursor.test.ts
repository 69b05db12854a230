// A new data folder's stream begins when its first process started, not when it first connected.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import { putStreamCursor } from '../../../../src/data/store/stream/stream-cursors.ts'
import { cursorsFromNowOn } from '../../../../src/ingest/upkeep/stream/first-cursor.ts'
import { writerOf } from '../../../support/writer-of.ts'

const host = 'wss://first.example'
const config = { jetstreamHosts: [host, 'wss://second.example'], jetstreamWire: 'auto' as const }
let dataDir: string
let db: WriteDb

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-first-cursor-'))
  db = openWriter(dataDir)
})
afterEach(() => {
  db.close()
  rmSync(dataDir, { recursive: true })
})

test('the stream begins at the first start, for later starts too', () => {
  const first = { host, wire: 'v2', seq: undefined, timeUs: 1_000_000, isByClock: true }
  expect(cursorsFromNowOn({ db, writer: writerOf(db) }, config, 1_000)).toEqual([first])
  expect(cursorsFromNowOn({ db, writer: writerOf(db) }, config, 9_000)).toEqual([first])
})

test('a saved cursor is kept', () => {
  const saved = { host: 'wss://second.example', wire: 'v1', seq: 7, timeUs: 5_000_000 } as const
  putStreamCursor(db, saved, 5_000)
  expect(cursorsFromNowOn({ db, writer: writerOf(db) }, config, 9_000)).toEqual([saved])
})
