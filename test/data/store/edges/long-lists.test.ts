// The accounts of many long lists at once: a call reads a bounded part, says which lists it cut, and reads the rest
// when those are asked for alone.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { packRkey } from '../../../../src/base/atproto/keys.ts'
import { type Db, openReader, openWriter } from '../../../../src/data/store/db.ts'
import { likeEdges } from '../../../../src/data/store/edges/all-edges.ts'
import { tidAt } from '../../../support/records.ts'

const ACCOUNTS = 120_000
const POSTS = [1, 2, 3]
const START_MS = Date.parse('2026-06-01')

let dataDir: string
let reader: Db

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-long-lists-'))
  const db = openWriter(dataDir)
  db.exec('BEGIN')
  for (const subject of POSTS) {
    const edges = Array.from({ length: ACCOUNTS }, (_, i) => {
      const sortAt = START_MS + i
      return {
        uid: i + 1,
        rkey: packRkey(tidAt(sortAt * 1000 + 7 * (i % 99), i % 1024)),
        subject,
        sortAt,
        createdAt: sortAt,
      }
    })
    likeEdges.addToSubject(db, subject, edges)
  }
  db.exec('COMMIT')
  db.close()
  reader = openReader(dataDir)
}, 600_000)

afterAll(() => {
  reader.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const isWanted = (uid: number) => uid % 1_000 === 0
const wanted = Array.from({ length: ACCOUNTS / 1_000 }, (_, i) => (i + 1) * 1_000).reverse()

it('are read as far as the budget goes, and the others named', () => {
  const cut = new Set<number>()
  const found = likeEdges.accountsOfEach(reader, POSTS, isWanted, cut)
  expect(found.get(1)).toEqual(wanted)
  expect([...cut]).toEqual([2, 3])
  for (const post of cut) {
    const some = found.get(post) ?? []
    expect(some.length).toBeLessThan(wanted.length)
    expect(some).toEqual(wanted.slice(0, some.length))
  }
})

it('are whole one by one', () => {
  for (const post of POSTS) {
    const cut = new Set<number>()
    expect(likeEdges.accountsOfEach(reader, [post], isWanted, cut).get(post)).toEqual(wanted)
    expect(cut.size).toBe(0)
  }
})
