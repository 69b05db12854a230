// Members' identities as rows: which of two counts, and for which accounts any does.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openReader, openWriter } from '../../../../src/data/store/db.ts'
import { deleteMember, insertMember } from '../../../../src/data/store/members/members.ts'
import {
  doubtStoredIdentity,
  findStoredIdentity,
  putStoredIdentity,
} from '../../../../src/data/store/members/stored-identities.ts'
import { insertActor, setActorStatus } from '../../../../src/data/store/records/actors.ts'
import { statusCode } from '../../../../src/data/store/records/status.ts'

const UID = 1
const NOW = 1_000

function open() {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-identities-'))
  const db = openWriter(dataDir)
  const reader = openReader(dataDir)
  insertActor(db, UID, 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', 0)
  insertMember(db, { uid: UID, joined_at: 0, last_seen_at: null })
  return {
    db,
    put: (identity: string | null, as_of: number, now = NOW) =>
      putStoredIdentity(db, { uid: UID, identity, as_of }, now),
    found: () => findStoredIdentity(reader, UID)?.identity,
  }
}

test('the identity requested later wins, regardless of write order', () => {
  const { put, found } = open()
  put('first', 10)
  put('third', 30)
  put('second', 20)
  expect(found()).toBe('third')
  put(null, 40)
  put('under way', 40)
  expect(found()).toBeUndefined()
  put('fourth', 50)
  expect(found()).toBe('fourth')
})

test('a doubt invalidates earlier requests, even if none is stored yet', () => {
  const { db, put, found } = open()
  doubtStoredIdentity(db, UID, 20)
  put('under way', 15)
  expect(found()).toBeUndefined()
  put('after it', 25)
  expect(found()).toBe('after it')
  // Even from a clock that was set back.
  doubtStoredIdentity(db, UID, 22)
  expect(found()).toBeUndefined()
})

test('an identity requested by a fast clock does not persist', () => {
  const { put, found } = open()
  put('ahead', 5_000, 5_000)
  put('right', 900)
  expect(found()).toBe('right')
})

test('accounts that are not members, or are hidden, have none', () => {
  const { db, put, found } = open()
  put('theirs', 10)
  for (const status of ['deactivated', 'suspended', 'takendown', 'deleted'] as const) {
    setActorStatus(db, UID, { status: statusCode(status), status_at: 1 })
    expect(found(), status).toBeUndefined()
  }
  setActorStatus(db, UID, { status: statusCode(undefined), status_at: 2 })
  expect(found()).toBe('theirs')
  deleteMember(db, UID)
  expect(found()).toBeUndefined()
})
