// Subjects that hundreds follow in one moment, so that each list has that moment in several chunks: an account's keys for
// all of them are found in whichever chunk they are.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packRkey, unpackRkey } from '../../../../src/base/atproto/keys.ts'
import { openWriter } from '../../../../src/data/store/db.ts'
import { followEdges } from '../../../../src/data/store/edges/all-edges.ts'
import { tidAt } from '../../../support/records.ts'

const ACCOUNTS = 500
const SUBJECTS = [9_001, 9_002, 9_003, 9_004, 9_005]
const MOMENT_MS = Date.parse('2026-06-01')

test('an account’s keys for subjects that hundreds follow in one moment', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-crowded-subjects-'))
  const db = openWriter(dataDir)
  onTestFinished(() => {
    db.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const keyOf = (uid: number, subject: number) => tidAt(MOMENT_MS * 1000 + subject, uid)
  const sortAt = MOMENT_MS
  db.exec('BEGIN')
  for (const subject of SUBJECTS)
    for (let uid = 1; uid <= ACCOUNTS; uid++) {
      const rkey = packRkey(keyOf(uid, subject))
      followEdges.insert(db, { uid, rkey, subject, sortAt, createdAt: sortAt })
    }
  db.exec('COMMIT')
  for (const creator of [1, ACCOUNTS / 2, ACCOUNTS]) {
    const found = followEdges.keysAmong(db, { creator, subjects: [...SUBJECTS, 8_000] })
    const expected = SUBJECTS.map((subject) => [subject, keyOf(creator, subject)])
    expect(Array.from(found, ([subject, rkey]) => [subject, unpackRkey(rkey)])).toEqual(expected)
  }
})
