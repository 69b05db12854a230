// When invalidations are published: after the commit, all together, and never for a rollback.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { InvariantError } from '../../../src/base/util/assert.ts'
import { INVALIDATION } from '../../../src/data/shared-memory/invalidation-kinds.ts'
import {
  InvalidationReader,
  InvalidationWriter,
  MAX_INVALIDATIONS_AT_ONCE,
} from '../../../src/data/shared-memory/invalidation-ring.ts'
import { openWriter, type WriteDb } from '../../../src/data/store/db.ts'
import { deleteMute, putMute } from '../../../src/data/store/private/mutes.ts'
import { insertActor } from '../../../src/data/store/records/actors.ts'
import {
  invalidationsOf,
  publishInvalidationsTo,
  transact,
} from '../../../src/data/store/transact.ts'

let dataDir: string
let db: WriteDb
let reader: InvalidationReader

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-notes-'))
  db = openWriter(dataDir)
  const writer = new InvalidationWriter()
  publishInvalidationsTo(db, writer)
  reader = new InvalidationReader(writer.buffer)
})

afterEach(() => {
  db.close()
  rmSync(dataDir, { recursive: true })
})

function insertMute(into: WriteDb, uid: number, subject: number, createdAt: number): void {
  putMute(into, { uid, subject, scope: 0, createdAt })
}

function taken(): number[][] | 'everything' {
  const invalidations: number[][] = []
  return reader.take((...note) => invalidations.push(note)) ? invalidations : 'everything'
}

test('invalidations are published after the commit, not before', () => {
  transact(db, () => {
    insertActor(db, 7, 'did:plc:seven', 0)
    insertMute(db, 7, 8, 0)
    expect(taken()).toEqual([])
  })
  expect(taken()).toEqual([
    [INVALIDATION.actor, 7, 0],
    [INVALIDATION.relation, 7, 8],
  ])
})

test('those of a rollback are not published, not even with the next commit', () => {
  const fail = () => {
    insertMute(db, 1, 2, 0)
    throw new Error('the disk is full')
  }
  expect(() => transact(db, fail)).toThrow('the disk is full')
  expect(taken()).toEqual([])
  transact(db, () => deleteMute(db, 3, 4))
  expect(taken()).toEqual([[INVALIDATION.relation, 3, 4]])
})

test('those of a nested transaction are published with the outer one', () => {
  transact(db, () => {
    transact(db, () => insertMute(db, 1, 2, 0))
    expect(taken()).toEqual([])
    insertMute(db, 3, 4, 0)
  })
  expect(taken()).toEqual([
    [INVALIDATION.relation, 1, 2],
    [INVALIDATION.relation, 3, 4],
  ])
})

test('too many become everything; the next transaction is published in full again', () => {
  transact(db, () => {
    for (let i = 0; i < MAX_INVALIDATIONS_AT_ONCE; i++)
      invalidationsOf(db).add(INVALIDATION.post, i)
  })
  expect(taken()).toHaveLength(MAX_INVALIDATIONS_AT_ONCE)
  transact(db, () => {
    for (let i = 0; i <= MAX_INVALIDATIONS_AT_ONCE; i++)
      invalidationsOf(db).add(INVALIDATION.post, i)
  })
  expect(taken()).toBe('everything')
  transact(db, () => insertMute(db, 1, 2, 0))
  expect(taken()).toEqual([[INVALIDATION.relation, 1, 2]])
})

test('rows that views read, written outside a transaction, are fatal', () => {
  insertMute(db, 1, 2, 0)
  expect(() => transact(db, () => {})).toThrow(InvariantError)
})
