// Thousands of records for one subject that claim one moment, or moments of the same few minutes: the records of many
// accounts among them are found in one pass over them, not in one for each account, and of one moment's, only
// those near the accounts are read.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packRkey } from '../../../../src/base/atproto/keys.ts'
import { openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import { followEdges } from '../../../../src/data/store/edges/all-edges.ts'
import { type Edge, periodOf, periodStart } from '../../../../src/data/store/edges/edge.ts'
import { tidAt } from '../../../support/records.ts'

const SUBJECT = 1
const FOLLOWERS = 20_000
/** Where a period begins. */
const AT_MS = periodStart(periodOf(Date.parse('2026-06-01')) + 1)
/** Of the newest and the oldest in a period, which may hold others, and where it ends. */
const AT_THE_ENDS = 4

test('of one moment, only the chunks that may hold the accounts are read', () => {
  const read = crowded(0)
  expect(read(1)).toBeLessThanOrEqual(1 + AT_THE_ENDS)
  expect(read(5)).toBeLessThanOrEqual(5 + AT_THE_ENDS)
  expect(read(100)).toBeLessThanOrEqual(100 + AT_THE_ENDS)
})

test('a crowded period is read once for all accounts that are looked for', () => {
  const read = crowded(10)
  const chunks = read(5)
  expect(chunks).toBeGreaterThan(100)
  expect(read(1)).toBe(chunks)
  expect(read(100)).toBe(chunks)
})

/**
 * @param stepMs - from each record to the next
 * @returns a function that finds the records of so many accounts, and says how many chunks of the list it read
 */
function crowded(stepMs: number): (accounts: number) => number {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-crowded-'))
  const db = openWriter(dataDir)
  const read = countChunks(db)
  onTestFinished(() => {
    db.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  addFollowers(db, stepMs)
  return (count) => {
    const step = Math.floor(FOLLOWERS / count)
    const creators = Array.from({ length: count }, (_, i) => SUBJECT + 1 + i * step)
    read.chunks = 0
    const keys = followEdges.keysTo(db, { creators, subject: SUBJECT })
    expect([...keys.keys()].sort((a, b) => a - b)).toEqual(creators)
    return read.chunks
  }
}

/** Counts the rows that its statements return of subjects' lists. */
function countChunks(db: WriteDb): { chunks: number } {
  const read = { chunks: 0 }
  const prepare = db.prepare.bind(db)
  db.prepare = ((sql: string) => {
    const statement = prepare<unknown[], unknown>(sql)
    if (!/bytes FROM \S+_by_subject|c\.bytes FROM json_each/.test(sql)) return statement
    const { get, all } = statement
    statement.get = (...given) => {
      const row = get.apply(statement, given)
      if (row !== undefined) read.chunks++
      return row
    }
    statement.all = (...given) => {
      const rows = all.apply(statement, given)
      read.chunks += rows.length
      return rows
    }
    return statement
  }) as typeof db.prepare
  return read
}

function addFollowers(db: WriteDb, stepMs: number): void {
  const edges = Array.from({ length: FOLLOWERS }, (_, i): Edge => {
    const sortAt = AT_MS + i * stepMs
    const rkey = packRkey(tidAt(sortAt * 1000 + i))
    return { uid: SUBJECT + 1 + i, rkey, subject: SUBJECT, sortAt, createdAt: sortAt }
  })
  db.exec('BEGIN')
  followEdges.addToSubject(db, SUBJECT, edges)
  for (const edge of edges) {
    followEdges.addToCreator(db, edge.uid, followEdges.heldBy(db, edge.uid), [edge])
  }
  db.exec('COMMIT')
}
