// Keys of many pairs at once against a naive list of all records: one creator with many subjects, and many
// creators with one subject, whose list is read whole when short and skipped when long. Includes several
// records of one pair, in the same moment and years apart, and lists that lost their first chunks.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PackedRkey, packRkey, unpackRkey } from '../../../../src/base/atproto/keys.ts'
import { type Db, openReader, openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import { followEdges } from '../../../../src/data/store/edges/all-edges.ts'
import { compareKeys, type Edge } from '../../../../src/data/store/edges/edge.ts'
import { NEWEST } from '../../../../src/data/store/edges/subject-lists.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { tidAt } from '../../../support/records.ts'

const SEED = Number(process.env['SEED'] ?? 20_261_122)
const ACCOUNTS = 1_500
/** The account that nearly all others follow, most of them more than once. */
const FAMOUS = 7
/** Accounts that follow nearly all others. */
const KEEN = [3, 4]
const START_MS = Date.parse('2026-06-01')

let dataDir: string
let reader: Db
const model = new Map<string, Edge>()

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-edge-keys-'))
  const db = openWriter(dataDir)
  const random = createRandom(SEED)
  db.exec('BEGIN')
  for (let i = 0; i < 12_000; i++) follow(db, somePair(random), random)
  // Many in one moment.
  for (let i = 0; i < 300; i++) follow(db, { uid: 3, subject: FAMOUS, ms: START_MS }, random)
  for (const edge of [...model.values()]) {
    // Removes the beginning of a list, including its first chunk.
    const isLow = KEEN.includes(edge.uid) && edge.subject < 400 && edge.subject !== FAMOUS
    if (isLow || random.chance(0.1)) unfollow(db, edge)
  }
  db.exec('COMMIT')
  db.close()
  reader = openReader(dataDir)
})

afterAll(() => {
  reader.close()
  rmSync(dataDir, { recursive: true, force: true })
})

type Moment = Pick<Edge, 'uid' | 'subject'> & { ms: number }

function somePair(random: Random): Moment {
  const anyone = () => 1 + random.below(ACCOUNTS)
  const uid = random.chance(0.3) ? random.pick(KEEN) : anyone()
  const subject = random.chance(0.4) ? FAMOUS : anyone()
  return { uid, subject, ms: START_MS + random.below(1e10) }
}

function follow(db: WriteDb, { uid, subject, ms }: Moment, random: Random): void {
  const text = random.chance(0.1)
    ? `key-${random.below(1e6)}`
    : tidAt(ms * 1000 + random.below(1000), random.below(1024))
  const edge = { uid, rkey: packRkey(text), subject, sortAt: ms, createdAt: ms + random.below(9) }
  if (model.has(keyOf(edge))) return
  followEdges.insert(db, edge)
  model.set(keyOf(edge), edge)
}

function unfollow(db: WriteDb, edge: Edge): void {
  followEdges.remove(db, edge)
  model.delete(keyOf(edge))
}

const distinct = (edges: Edge[]) => [...new Set(edges)]
const keyOf = ({ uid, rkey }: Pick<Edge, 'uid' | 'rkey'>) => `${uid} ${unpackRkey(rkey)}`

/** Smallest keys of the model's matching records, grouped by `of`. */
function expected(passes: (edge: Edge) => boolean, of: (edge: Edge) => number) {
  const keys = new Map<number, PackedRkey>()
  for (const edge of model.values()) {
    if (!passes(edge)) continue
    const cached = keys.get(of(edge))
    if (!cached || compareKeys(edge.rkey, cached) < 0) keys.set(of(edge), edge.rkey)
  }
  return readable(keys)
}

function readable(keys: Map<number, PackedRkey>): string[] {
  return [...keys].map(([of, rkey]) => `${of} ${unpackRkey(rkey)}`).sort()
}

/** Unordered ids, some repeated, some unused. */
function someIds(random: Random, count: number): number[] {
  return Array.from({ length: count }, () =>
    random.chance(0.1) ? FAMOUS : random.below(ACCOUNTS + 100),
  )
}

function chunksOf(subject: number): number {
  const count = reader.prepare<[number], number>(
    'SELECT count(*) FROM follows_by_subject WHERE subject = ?',
  )
  return count.pluck().get(subject)!
}

describe(`keys of many pairs at once (seed ${SEED})`, () => {
  it('are those of a creator’s records, for subjects in any order', () => {
    const random = createRandom(SEED + 1)
    for (let round = 0; round < 60; round++) {
      const creator = random.chance(0.5) ? random.pick(KEEN) : random.below(ACCOUNTS)
      const subjects = someIds(random, random.below(round === 0 ? 1 : 300))
      const wanted = new Set(subjects)
      const passes = ({ uid, subject }: Edge) => uid === creator && wanted.has(subject)
      const found = followEdges.keysAmong(reader, { creator, subjects })
      expect(readable(found)).toEqual(expected(passes, ({ subject }) => subject))
      const records = [...model.values()].filter(passes).map(({ subject }) => subject)
      const repeated = records.filter((subject, i) => records.indexOf(subject) < i)
      expect(followEdges.repeatedAmong(reader, { creator, subjects })).toEqual(new Set(repeated))
    }
  })

  it('are found before, between and after the chunks of a list that lost its first ones', () => {
    const everyone = Array.from({ length: ACCOUNTS + 100 }, (_, uid) => uid)
    for (const creator of KEEN) {
      const firsts = reader
        .prepare<[number], number>('SELECT first FROM follows_by_creator WHERE creator = ?')
        .pluck()
        .all(creator)
      expect(firsts.length).toBeGreaterThan(3)
      const all = followEdges.keysAmong(reader, { creator, subjects: everyone })
      expect(readable(all)).toEqual(
        expected(
          ({ uid }) => uid === creator,
          ({ subject }) => subject,
        ),
      )
      for (const subjects of firsts.map((first) => [first - 1, first, first + 1])) {
        const found = followEdges.keysAmong(reader, { creator, subjects })
        const cache = new Map([...all].filter(([subject]) => subjects.includes(subject)))
        expect(readable(found)).toEqual(readable(cache))
      }
    }
  })

  it('are those of many creators for one subject, whether its list is read whole or not', () => {
    const random = createRandom(SEED + 2)
    const sides = { whole: 0, probed: 0 }
    for (let round = 0; round < 60; round++) {
      const subject = random.chance(0.5) ? FAMOUS : random.below(ACCOUNTS)
      const creators = [...KEEN, ...someIds(random, random.below(random.chance(0.5) ? 20 : 400))]
      const wanted = new Set(creators)
      sides[chunksOf(subject) > wanted.size ? 'probed' : 'whole']++
      const passes = (edge: Edge) => edge.subject === subject && wanted.has(edge.uid)
      const found = followEdges.keysTo(reader, { creators, subject })
      expect(readable(found)).toEqual(expected(passes, ({ uid }) => uid))
    }
    expect(sides.probed).toBeGreaterThan(5)
    expect(sides.whole).toBeGreaterThan(5)
  })

  it('lead to their records, and pairs to their first, for any creator', () => {
    const random = createRandom(SEED + 4)
    const all = [...model.values()]
    for (let round = 0; round < 8; round++) {
      const some = Array.from({ length: random.below(200) }, () => random.pick(all))
      const gone = { uid: random.below(ACCOUNTS), rkey: packRkey(`none-${round}`) }
      expect(followEdges.findAll(reader, [...some, gone])).toEqual([
        ...some.map(({ uid, rkey }) => followEdges.find(reader, uid, rkey)),
        undefined,
      ])
      const pairs = [...some, { uid: ACCOUNTS + 50, subject: 1 }].map(
        ({ uid, subject }) => [uid, subject] as const,
      )
      const firsts = pairs.map(([uid, subject]) => followEdges.findPair(reader, uid, subject))
      expect(followEdges.findPairs(reader, pairs)).toEqual(firsts)
      const named = new Set<string>()
      const isNamed = ({ uid, subject }: Edge) =>
        named.has(`${uid} ${subject}`) || !named.add(`${uid} ${subject}`)
      expect(followEdges.areFirst(reader, distinct(some))).toEqual(
        distinct(some).map((edge) => {
          const first = followEdges.findPair(reader, edge.uid, edge.subject)!
          return first.sortAt === edge.sortAt && !isNamed(edge)
        }),
      )
      const queries = [...pairs, ...some.map(({ subject, uid }) => [subject, uid] as const)]
      const found = followEdges.subjectsOfEach(reader, queries)
      for (const [uid, subject] of queries) {
        expect(found.get(uid)?.has(subject) ?? false).toBe(followEdges.has(reader, uid, subject))
      }
    }
  })

  it('name the accounts that point at each of many subjects, each once, at its first record', () => {
    const subjects = [FAMOUS, ...Array.from({ length: 250 }, (_, i) => i + 20), ACCOUNTS + 50]
    const most = model.size
    for (const isWanted of [() => true, (uid: number) => uid % 7 === 0, () => false]) {
      const found = followEdges.accountsOfEach(reader, subjects, isWanted)
      for (const subject of subjects) {
        const back = followEdges.newest(reader, subject, NEWEST, most).map(({ uid }) => uid)
        const wanted = [...new Set(back.reverse().filter(isWanted))].reverse()
        expect(found.get(subject) ?? []).toEqual(wanted)
      }
    }
  })

  it('are looked up only for creators that have any', () => {
    const uids = someIds(createRandom(SEED + 3), 500)
    const creators = new Set([...model.values()].map(({ uid }) => uid))
    expect(followEdges.creatorsAmong(reader, uids)).toEqual(uids.filter((uid) => creators.has(uid)))
  })

  it('are absent for accounts without records', () => {
    const nobody = ACCOUNTS + 50
    expect(followEdges.keysAmong(reader, { creator: nobody, subjects: [1, 2, 3] }).size).toBe(0)
    expect(followEdges.keysAmong(reader, { creator: 3, subjects: [] }).size).toBe(0)
    expect(followEdges.keysTo(reader, { creators: [1, 2, 3], subject: nobody }).size).toBe(0)
    expect(followEdges.keysTo(reader, { creators: [], subject: FAMOUS }).size).toBe(0)
  })
})
