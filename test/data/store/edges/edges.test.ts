// Packed edges against a naive list: every query, after a random history with the content of real
// repositories (bursts, several records for one pair, keys that are not TIDs, distant dates), with lists long
// enough to span many chunks.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { packRkey, unpackRkey } from '../../../../src/base/atproto/keys.ts'
import { openReader, openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import { likeEdges } from '../../../../src/data/store/edges/all-edges.ts'
import { compareKeys, EARLIEST_MS, type Edge } from '../../../../src/data/store/edges/edge.ts'
import { newestSubjects } from '../../../../src/data/store/edges/newest-subjects.ts'
import { NEWEST } from '../../../../src/data/store/edges/subject-lists.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { tidAt } from '../../../support/records.ts'
import { pairsOf } from '../../../support/rows.ts'

const SEED = Number(process.env['SEED'] ?? 20_261_121)
const ACCOUNTS = 40
const SUBJECTS = 400
const STEPS = 12_000
const START_US = Date.parse('2026-06-01') * 1000

let dataDir: string
let db: WriteDb

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-edges-'))
  db = openWriter(dataDir)
})

afterEach(() => {
  db.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const keyOf = ({ uid, rkey }: Pick<Edge, 'uid' | 'rkey'>) => `${uid} ${unpackRkey(rkey)}`

/** Applies a random history to the table, and returns the same history as a plain map. */
function live(random: Random): Map<string, Edge> {
  const model = new Map<string, Edge>()
  let timeUs = START_US
  db.exec('BEGIN')
  for (let step = 0; step < STEPS; step++) {
    timeUs += random.chance(0.3) ? 1 : random.below(40e6)
    if (random.chance(0.8)) {
      const edge = someEdge(random, timeUs)
      if (model.has(keyOf(edge))) continue
      const isFirst = ![...model.values()].some((item) => isPair(item, edge))
      expect(likeEdges.insert(db, edge)).toBe(isFirst)
      model.set(keyOf(edge), edge)
    } else if (model.size > 0) {
      const keys = [...model.keys()]
      const key = random.chance(0.5) ? keys.at(-1)! : random.pick(keys)
      likeEdges.remove(db, model.get(key)!)
      model.delete(key)
    }
  }
  db.exec('COMMIT')
  return model
}

function isPair(a: Edge, b: Edge): boolean {
  return a.uid === b.uid && a.subject === b.subject
}

function someEdge(random: Random, timeUs: number): Edge {
  const rkey = random.chance(0.03)
    ? `key-${random.below(200)}`
    : tidAt(
        random.chance(0.05) ? random.below(2 ** 50) : timeUs,
        random.below(random.chance(0.1) ? 1024 : 32),
      )
  const sent = Math.floor(timeUs / 1000) + random.below(3000) - 1500
  const sortAt = random.chance(0.95)
    ? sent
    : random.pick([0, 1, -1, random.below(1.9e12), -random.below(6e13), EARLIEST_MS])
  const createdAt = sortAt + (random.chance(0.3) ? random.below(1e7) : 0)
  const [uid, subject] = [1 + random.zipf(ACCOUNTS), 1 + random.zipf(SUBJECTS)]
  return { uid, rkey: packRkey(rkey), subject, sortAt, createdAt }
}

function sorted(edges: Iterable<Edge>): string[] {
  return [...edges]
    .map(({ uid, rkey, subject, sortAt, createdAt }) =>
      [uid, unpackRkey(rkey), subject, sortAt, createdAt].join(' '),
    )
    .sort()
}

describe('packed edges', () => {
  it(`match a plain map in every query (seed ${SEED})`, () => {
    const model = live(createRandom(SEED))
    const all = [...model.values()]
    const reader = openReader(dataDir)
    for (const edge of all) {
      expect(sorted([likeEdges.find(reader, edge.uid, edge.rkey)!])).toEqual(sorted([edge]))
    }
    for (let uid = 1; uid <= ACCOUNTS; uid++) {
      const own = all.filter((edge) => edge.uid === uid)
      expect(sorted(likeEdges.edgesOf(reader, uid))).toEqual(sorted(own))
      const subjects = [...new Set(own.map(({ subject }) => subject))].sort((a, b) => a - b)
      expect(likeEdges.subjectsOf(reader, uid)).toEqual(subjects)
      expect(likeEdges.hasAny(reader, uid)).toBe(own.length > 0)
      for (let subject = 1; subject <= SUBJECTS; subject++) {
        const pair = own.filter((edge) => edge.subject === subject)
        expect(likeEdges.has(reader, uid, subject)).toBe(pair.length > 0)
        pair.sort((a, b) => compareKeys(a.rkey, b.rkey))
        const first = likeEdges.findPair(reader, uid, subject)
        expect(first && keyOf(first)).toEqual(pair[0] && keyOf(pair[0]))
      }
    }
    expect(pairsOf(reader, likeEdges).length).toBe(all.length)
    reader.close()
  })

  it(`are paged by time, by subject and by creator, each once (seed ${SEED})`, () => {
    const all = [...live(createRandom(SEED + 1)).values()]
    for (let subject = 1; subject <= SUBJECTS; subject += 7) {
      const expected = all
        .filter((edge) => edge.subject === subject)
        .map(({ sortAt, uid }) => [sortAt, uid])
        .sort(([a1, u1], [a2, u2]) => a2! - a1! || u2! - u1!)
      const found: number[][] = []
      for (let before = NEWEST; ; ) {
        const page = likeEdges.newest(db, subject, before, 5)
        found.push(...page.map(({ sortAt, uid }) => [sortAt, uid]))
        const last = page.at(-1)
        if (!last || page.length < 5) break
        before = last
      }
      // The cursor cannot separate records of one account and time, so one of them represents all.
      const once = (rows: number[][]) => [...new Set(rows.map(String))]
      expect(once(found)).toEqual(once(expected))
    }
    for (let creator = 1; creator <= ACCOUNTS; creator++) {
      const expected = all
        .filter((edge) => edge.uid === creator)
        .map(({ sortAt, subject }) => [sortAt, subject])
        .sort(([a1, s1], [a2, s2]) => a2! - a1! || s2! - s1!)
      const page = newestSubjects(db, likeEdges, { creator, before: NEWEST, limit: 30 })
      expect(page.map(({ sortAt, subject }) => [sortAt, subject])).toEqual(expected.slice(0, 30))
      const half = expected[20]
      if (!half) continue
      const before = { sortAt: half[0]!, uid: half[1]! }
      const rest = newestSubjects(db, likeEdges, { creator, before, limit: 10 })
      const below = expected.filter(
        ([at, s]) => at! < half[0]! || (at === half[0] && s! < half[1]!),
      )
      expect(rest.map(({ sortAt, subject }) => [sortAt, subject])).toEqual(below.slice(0, 10))
    }
  })

  it('of one moment, as programs make them by the thousand, are paged once each, and each page reads its own', () => {
    const at = Math.floor(START_US / 1000)
    const made = (subject: number, us: number): Edge => {
      const rkey = packRkey(tidAt(us))
      return { uid: 1, rkey, subject, sortAt: Math.floor(us / 1000), createdAt: at }
    }
    const crowd = Array.from({ length: 3_000 }, (_, i) => made(i + 1, START_US + i))
    const others = [made(5_000, START_US - 1e9), made(5_001, START_US + 1e9)]
    db.exec('BEGIN')
    for (const edge of [...crowd, ...others]) likeEdges.insert(db, edge)
    db.exec('COMMIT')
    let resolved = 0
    const counting = {
      packedPointersOf: (...args: Parameters<typeof likeEdges.packedPointersOf>) =>
        likeEdges.packedPointersOf(...args),
      resolveAll: (...args: Parameters<typeof likeEdges.resolveAll>) => {
        resolved += args[2].length
        return likeEdges.resolveAll(...args)
      },
    }
    const seen: number[] = []
    for (let before = NEWEST; ; ) {
      const page = newestSubjects(db, counting, { creator: 1, before, limit: 100 })
      seen.push(...page.map(({ subject }) => subject))
      const last = page.at(-1)
      if (!last || page.length < 100) break
      before = { sortAt: last.sortAt, uid: last.subject }
    }
    expect(seen).toEqual([5_001, ...crowd.map(({ subject }) => subject).reverse(), 5_000])
    expect(resolved).toBeLessThan(3_100)
  })

  it('of an account are removed at once, and no other account loses any', () => {
    const all = [...live(createRandom(SEED + 2)).values()]
    for (const uid of [1, 2, 5]) likeEdges.removeAll(db, uid)
    const rest = all.filter(({ uid }) => ![1, 2, 5].includes(uid))
    expect(pairsOf(db, likeEdges).length).toBe(rest.length)
    for (let subject = 1; subject <= SUBJECTS; subject++) {
      const expected = rest.filter((edge) => edge.subject === subject)
      expect(sorted(likeEdges.newest(db, subject, NEWEST, STEPS))).toEqual(sorted(expected))
      expect(likeEdges.isPointedAt(db, subject)).toBe(expected.length > 0)
    }
  })

  it('keep every chunk within a page, except for an account with a thousand edges to one subject', () => {
    const random = createRandom(SEED + 3)
    db.exec('BEGIN')
    for (let i = 0; i < 3_000; i++) {
      const timeUs = START_US + random.below(1e12)
      const at = Math.floor(timeUs / 1000)
      const times = { sortAt: at, createdAt: at }
      likeEdges.insert(db, { uid: 1, rkey: packRkey(tidAt(timeUs)), subject: 1 + i, ...times })
      likeEdges.insert(db, { uid: 2 + i, rkey: packRkey(tidAt(timeUs)), subject: 9_999, ...times })
    }
    const longest = (table: string) =>
      db.prepare<[], number>(`SELECT max(length(bytes)) FROM ${table}`).pluck().get()!
    expect(longest('likes_by_creator')).toBeLessThanOrEqual(940)
    expect(longest('likes_by_subject')).toBeLessThanOrEqual(940)
    const same = { uid: 1, subject: 5_000, sortAt: 7, createdAt: 7 }
    for (let i = 0; i < 1_000; i++) likeEdges.insert(db, { ...same, rkey: packRkey(`key-${i}`) })
    expect(likeEdges.newest(db, 5_000, NEWEST, 2_000)).toHaveLength(1_000)
    expect(unpackRkey(likeEdges.findPair(db, 1, 5_000)!.rkey)).toBe('key-0')
    for (let i = 0; i < 1_000; i++) likeEdges.remove(db, { ...same, rkey: packRkey(`key-${i}`) })
    db.exec('COMMIT')
    expect(likeEdges.has(db, 1, 5_000)).toBe(false)
    expect(likeEdges.isPointedAt(db, 5_000)).toBe(false)
  })
})
