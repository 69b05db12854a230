// Thousands of records for one subject that claim one moment: the records of many accounts among them are
// found in one pass over them, not in one for each account.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packRkey } from '../../../../src/base/atproto/keys.ts'
import { openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import { followEdges } from '../../../../src/data/store/edges/all-edges.ts'
import type { Edge } from '../../../../src/data/store/edges/edge.ts'
import { tidAt } from '../../../support/records.ts'

const SUBJECT = 1
const FOLLOWERS = 20_000
const AT_MS = Date.parse('2026-06-01')
/** Found one by one, a hundred take twenty times as long as five. */
const MOST_GROWTH = 8
/** Processor time is told in coarse steps. */
const READS = 20

test('a crowded period is read once for all accounts that are looked for', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-crowded-'))
  const db = openWriter(dataDir)
  try {
    addFollowers(db)
    const [few, many] = [5, 100].map((count) => {
      const step = Math.floor(FOLLOWERS / count)
      const creators = Array.from({ length: count }, (_, i) => SUBJECT + 1 + i * step)
      const read = () => followEdges.keysTo(db, { creators, subject: SUBJECT })
      expect([...read().keys()].sort((a, b) => a - b)).toEqual(creators)
      return leastCpuMs(read)
    })
    expect(many! / few!).toBeLessThan(MOST_GROWTH)
  } finally {
    db.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
})

function addFollowers(db: WriteDb): void {
  const edges = Array.from({ length: FOLLOWERS }, (_, i): Edge => {
    const rkey = packRkey(tidAt(AT_MS * 1000 + i))
    return { uid: SUBJECT + 1 + i, rkey, subject: SUBJECT, sortAt: AT_MS, createdAt: AT_MS }
  })
  db.exec('BEGIN')
  followEdges.addToSubject(db, SUBJECT, edges)
  for (const edge of edges) {
    followEdges.addToCreator(db, edge.uid, followEdges.heldBy(db, edge.uid), [edge])
  }
  db.exec('COMMIT')
}

function leastCpuMs(work: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage()
    for (let i = 0; i < READS; i++) work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...times)
}
