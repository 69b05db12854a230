// The store's guarantees over SQLite: a real file, a writer, and a reader's connection.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  InvalidationReader,
  InvalidationWriter,
} from '../../../src/data/shared-memory/invalidation-ring.ts'
import { openReader } from '../../../src/data/store/db.ts'
import { publishInvalidationsTo } from '../../../src/data/store/transact.ts'
import { openEmpty } from '../../support/empty-database.ts'
import { nameOfInvalidation } from '../../support/invalidation-set.ts'
import { readersSuite, type StoreUnderTest, writersSuite } from '../../support/store-suites.ts'
import { writerOf } from '../../support/writer-of.ts'

function openSqlite(): StoreUnderTest {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-contract-'))
  const writable = openEmpty(folder)
  const invalidations = new InvalidationWriter()
  publishInvalidationsTo(writable, invalidations)
  const ring = new InvalidationReader(invalidations.buffer)
  const reader = openReader(folder)
  const { commit } = writerOf(writable)
  return {
    commit: (work) => commit(({ db }) => work(db)),
    reader,
    own: writable,
    notified() {
      const messages: string[] = []
      ring.take(
        (kind, ...of) => void messages.push([nameOfInvalidation(kind), ...of].join(' ').trim()),
      )
      return messages
    },
    close() {
      reader.close()
      writable.close()
      rmSync(folder, { recursive: true })
    },
  }
}

describe('for readers', () => readersSuite(openSqlite))
describe('for the writer', () => writersSuite(openSqlite))

test('statements of a reader’s connection can’t change a row, and the writer’s can', () => {
  const store = openSqlite()
  const insert = "INSERT INTO meta (key, value) VALUES ('contract', 1)"
  expect(() => store.reader.prepare(insert).get()).toThrow()
  // @ts-expect-error: a reader's statement has no `run`
  expect(() => store.reader.prepare(insert).run()).toThrow(/readonly/)
  store.commit((db) => db.prepare(insert).run())
  const read = "SELECT value FROM meta WHERE key = 'contract'"
  expect(store.reader.prepare<[], number>(read).pluck().get()).toBe(1)
  store.close()
})
