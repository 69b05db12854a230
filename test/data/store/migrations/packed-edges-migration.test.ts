// A filled database of the first schema is migrated: every query for its likes, follows and blocks has the
// same answer as from the old rows. An interruption at any statement leaves it intact, and the next start
// continues.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { packRkey, unpackRkey } from '../../../../src/base/atproto/keys.ts'
import { openWriter } from '../../../../src/data/store/db.ts'
import { blockEdges, followEdges, likeEdges } from '../../../../src/data/store/edges/all-edges.ts'
import type { Edge } from '../../../../src/data/store/edges/edge.ts'
import { NEWEST } from '../../../../src/data/store/edges/subject-lists.ts'
import * as initial from '../../../../src/data/store/migrations/001-025/001-initial.ts'
import * as packedEdges from '../../../../src/data/store/migrations/001-025/002-packed-edges.ts'
import { createRandom } from '../../../support/random.ts'
import { tidAt } from '../../../support/records.ts'
import { pairsOf } from '../../../support/rows.ts'

const SEED = Number(process.env['SEED'] ?? 2_002)
const ROWS = 4_000
const START_US = Date.parse('2026-06-01') * 1000
const tables = { likes: likeEdges, follows: followEdges, blocks: blockEdges }
type Kind = keyof typeof tables

let dataDir: string
let old: Database.Database

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-migration-'))
  old = new Database(join(dataDir, 'slipstream.sqlite'))
  old.exec(initial.sql)
  old.pragma('user_version = 1')
})

afterEach(() => {
  old.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Rows as the first schema's code wrote them, and the edges they represent. */
function fill(kind: Kind): Edge[] {
  const random = createRandom(SEED + kind.length)
  const edges = new Map<string, Edge>()
  const [columns, marks] =
    kind === 'likes' ? ['created_at, lag', '?, ?'] : (['sort_at', '?'] as const)
  const insert = old.prepare(
    `INSERT INTO ${kind} (uid, rkey, subject, ${columns}) VALUES (?, ?, ?, ${marks})`,
  )
  old.transaction(() => {
    for (let i = 0; i < ROWS; i++) {
      const timeUs = START_US + random.below(1e12)
      const rkey = packRkey(random.chance(0.02) ? `key-${random.below(99)}` : tidAt(timeUs, i % 40))
      const key = { uid: 1 + random.zipf(60), rkey, subject: 1 + random.zipf(900) }
      const createdAt = random.chance(0.05) ? 0 : Math.floor(timeUs / 1000) + random.below(3000)
      const lag = kind === 'likes' ? random.below(4000) - 2000 : 0
      const sortAt = Math.max(0, Math.min(createdAt, createdAt + lag))
      const name = `${key.uid} ${unpackRkey(rkey)}`
      if (edges.has(name)) continue
      const times = kind === 'likes' ? [createdAt, lag] : [createdAt]
      insert.run(key.uid, key.rkey, key.subject, ...times)
      edges.set(name, { ...key, sortAt, createdAt })
    }
  })()
  return [...edges.values()]
}

function sorted(edges: Iterable<Edge>): string[] {
  return [...edges].map(lineOf).sort()
}

function lineOf({ uid, rkey, subject, sortAt, createdAt }: Edge): string {
  return [uid, unpackRkey(rkey), subject, sortAt, createdAt].join(' ')
}

function expectAll(db: Database.Database, kind: Kind, expected: Edge[]): void {
  const table = tables[kind]
  const creators = [...new Set(expected.map(({ uid }) => uid))]
  expect(sorted(creators.flatMap((uid) => [...table.edgesOf(db, uid)]))).toEqual(sorted(expected))
  const subjects = [...new Set(expected.map(({ subject }) => subject))]
  const listed = subjects.map((subject) => table.newest(db, subject, NEWEST, ROWS))
  expect(sorted(listed.flat())).toEqual(sorted(expected))
  for (const list of listed) {
    const times = list.map(({ sortAt }) => sortAt)
    expect(times).toEqual([...times].sort((a, b) => b - a))
  }
  for (const edge of expected.slice(0, 500)) {
    expect(lineOf(table.find(db, edge.uid, edge.rkey)!)).toBe(lineOf(edge))
    expect(table.has(db, edge.uid, edge.subject)).toBe(true)
  }
  expect(pairsOf(db, table)).toHaveLength(expected.length)
}

describe('a filled database of the first schema', () => {
  it(`answers the same after its edges are packed, and accepts changes (seed ${SEED})`, () => {
    const kinds: Kind[] = ['likes', 'follows', 'blocks']
    const rows = kinds.map((kind) => [kind, fill(kind)] as const)
    old.close()
    const db = openWriter(dataDir)
    for (const [kind, expected] of rows) {
      expectAll(db, kind, expected)
      for (const edge of expected.splice(0, 400)) tables[kind].remove(db, edge)
      expectAll(db, kind, expected)
    }
    expect(db.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'old%'").all()).toEqual([])
    db.close()
  })

  it('is intact after an interruption at any statement, and the next start continues', () => {
    const likes = fill('likes').length
    const follows = fill('follows')
    let interrupted = 0
    for (let after = 1; ; after += 1 + Math.floor(after / 2)) {
      if (runUntil(after)) break
      interrupted++
      const isComplete = countOf('likes') ?? pairsOf(old, likeEdges).length
      expect(isComplete).toBe(likes)
    }
    expect(interrupted).toBeGreaterThan(3)
    expect(pairsOf(old, likeEdges).length).toBe(likes)
    expectAll(old, 'follows', follows)
  })

  /** @returns whether it finished before running that many statements */
  function runUntil(statements: number): boolean {
    let left = statements
    const failing = new Proxy(old, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (name !== 'prepare' && name !== 'exec') {
          return typeof value === 'function' ? value.bind(target) : value
        }
        return (sql: string) => {
          if (--left < 0) throw new Error('interrupted')
          return value.call(target, sql)
        }
      },
    })
    try {
      packedEdges.run(failing)
      return true
    } catch (error) {
      expect(String(error)).toContain('interrupted')
      return false
    }
  }

  function countOf(kind: Kind): number | undefined {
    const found = old.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(kind)
    return found ? old.prepare<[], number>(`SELECT count(*) FROM ${kind}`).pluck().get() : undefined
  }
})
