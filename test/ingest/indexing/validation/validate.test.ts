// The quick checks must never accept what the lexicon validator or the stricter rules refuse, and validation as
// a whole must give their verdict. Mutations of valid records search for a difference. test/e2e/verdicts.test.ts
// compares with the reference's own validator.

import { readFileSync } from 'node:fs'
import { schemas } from '@atproto/api'
import { jsonToLex, Lexicons } from '@atproto/lexicon'
import { isValidDatetime } from '@atproto/syntax'
import { describe, expect, it } from 'vitest'
import type { Collection } from '../../../../src/base/atproto/collections.ts'
import type { JsonObject } from '../../../../src/base/util/json-object.ts'
import { isStrictlyValid } from '../../../../src/ingest/indexing/validation/strict-rules.ts'
import {
  isPlainRecord,
  isValidRecord,
} from '../../../../src/ingest/indexing/validation/validate.ts'
import { createRandom } from '../../../support/random.ts'
import { mutateRecord, recordSamples } from '../../../support/record-corpus.ts'

const SEED = Number(process.env['SEED'] ?? 20261121)
const MUTATIONS = 30_000

// Judged with all of the official lexicons, not only with the part that we keep.
const official = new Lexicons(schemas)

/** The library's verdict, with more checked as strictly as the reference does. */
function isOfficiallyValid(collection: Collection, record: JsonObject): boolean {
  const { createdAt } = record
  if (typeof createdAt === 'string' && !isValidDatetime(createdAt)) return false
  try {
    official.assertValidRecord(collection, jsonToLex(structuredClone(record)))
    return isStrictlyValid(collection, record)
  } catch {
    return false
  }
}

describe('validation', () => {
  it.each(recordSamples)('accepts a usual %s', (collection, record) => {
    expect(isValidRecord(collection, record)).toBe(true)
    expect(isOfficiallyValid(collection, record)).toBe(true)
  })

  it(`gives the official verdict on ${MUTATIONS} mutated records (seed ${SEED})`, () => {
    const random = createRandom(SEED)
    let accepted = 0
    let plain = 0
    for (let i = 0; i < MUTATIONS; i++) {
      const [collection, sample] = random.pick(recordSamples)
      let record = mutateRecord(random, sample)
      if (random.chance(0.2)) record = mutateRecord(random, record)
      const expected = record['$type'] === collection && isOfficiallyValid(collection, record)
      expect([isValidRecord(collection, record), record]).toEqual([expected, record])
      if (isPlainRecord(collection, record)) plain++
      if (expected) accepted++
    }
    expect(accepted).toBeGreaterThan(MUTATIONS / 20)
    expect(plain).toBeGreaterThan(MUTATIONS / 40)
    expect(accepted).toBeLessThan((MUTATIONS * 19) / 20)
  })

  it('accepts plain likes, reposts, follows, posts and profiles without the lexicon validator', () => {
    const plain = recordSamples.filter(([collection, record]) => isPlainRecord(collection, record))
    expect(plain.map(([collection]) => collection)).toEqual([
      'app.bsky.feed.like',
      'app.bsky.feed.repost',
      'app.bsky.graph.follow',
      'app.bsky.graph.block',
      'app.bsky.graph.listitem',
      'app.bsky.actor.profile',
      ...Array(6).fill('app.bsky.feed.post'),
      'app.bsky.actor.profile',
    ])
  })

  it('refuses datetimes that violate the specification, and accepts unusual valid ones', () => {
    const post = (time: string) => ({ $type: 'app.bsky.feed.post', text: '', createdAt: time })
    const verdict = (time: string) => isValidRecord('app.bsky.feed.post', post(time))
    const sound = ['2026-01-01T00:00:00+02:00', '2026-01-01T00:00:00.123456Z']
    const unsound = [
      '2026-01-01',
      '2026-01-01T00:00:00',
      '2026-01-01T00:00:00-00:00',
      '2026-01-01T24:00:00Z',
      '2026-01-01T00:00:60Z',
      'yesterday',
    ]
    expect(sound.filter(verdict)).toEqual(sound)
    expect(unsound.filter(verdict)).toEqual([])
  })

  it('refuses a record of another type, and one nested too deep to walk', () => {
    const like = recordSamples[0]![1]
    expect(isValidRecord('app.bsky.feed.repost', like)).toBe(false)
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`) as JsonObject
    expect(isValidRecord('app.bsky.feed.like', { ...like, deep })).toBe(false)
  })

  const production = '../shared/data/jetstream/production-v1-2026-07-04.jsonl'
  const lines = readLines(production)
  if (!lines) console.warn(`skipped: ${production} is missing`)
  it.skipIf(!lines)('agrees with the official lexicons on production records', () => {
    let checked = 0
    for (const line of lines!) {
      const { commit } = JSON.parse(line) as {
        commit?: { collection: string; record?: JsonObject }
      }
      if (!commit?.record || !official.get(commit.collection)) continue
      const collection = commit.collection as Collection
      if (!recordSamples.some(([name]) => name === collection)) continue
      expect(isValidRecord(collection, commit.record)).toBe(
        isOfficiallyValid(collection, commit.record),
      )
      checked++
    }
    expect(checked).toBeGreaterThan(100)
  })
})

it('refuses an absurdly long record, even in fields unknown to the lexicon', () => {
  const post = (padding: number) => ({
    $type: 'app.bsky.feed.post',
    text: 'short',
    createdAt: '2026-11-21T00:00:00.000Z',
    unknown: 'x'.repeat(padding),
  })
  expect(isValidRecord('app.bsky.feed.post', post(50_000))).toBe(true)
  expect(isValidRecord('app.bsky.feed.post', post(100_000))).toBe(false)
})

function readLines(path: string): string[] | undefined {
  try {
    return readFileSync(path, 'utf8').trim().split('\n')
  } catch {
    return undefined
  }
}
