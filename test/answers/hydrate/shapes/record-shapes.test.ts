// The second line of defence must not be stricter than the first: every record that satisfies its lexicon can
// be shown. (test/answers/views/lexicon.test.ts shows that sound records give valid views.)

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  isSoundList,
  isSoundPost,
  isSoundPostgate,
  isSoundProfile,
  isSoundThreadgate,
} from '../../../../src/answers/hydrate/shapes/record-shapes.ts'
import type { Check } from '../../../../src/answers/hydrate/shapes/shape.ts'
import type { Collection } from '../../../../src/base/atproto/collections.ts'
import { isValidRecord } from '../../../../src/ingest/indexing/validation/validate.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { randomWorld } from '../../../support/random-world.ts'

const PRODUCTION = join(
  import.meta.dirname,
  '../../../../../shared/data/jetstream/production-v1-2026-07-04.jsonl',
)

const checks = new Map<string, Check>([
  ['app.bsky.actor.profile', isSoundProfile],
  ['app.bsky.feed.post', isSoundPost],
  ['app.bsky.graph.list', isSoundList],
  ['app.bsky.feed.threadgate', isSoundThreadgate],
  ['app.bsky.feed.postgate', isSoundPostgate],
])

type Value = Record<string, unknown>

/** Values that some lexicon field may or may not accept. */
const ODDITIES = [
  undefined,
  null,
  0,
  1,
  -1,
  0.5,
  true,
  '',
  ' ',
  'x'.repeat(64),
  '🙂'.repeat(64),
  '👩‍👩‍👧‍👦'.repeat(30),
  'x'.repeat(300),
  'https://example.org/a?b#c',
  'mailto:a@b',
  'at://did:plc:abc/app.bsky.feed.post/3k',
  'at://example.org/app.bsky.feed.post/3k',
  'at://example.org',
  'bafyreiaqnj6xjqlo5t5rrhqdkzz2s3tqkgmqtrzqyhgbqwmo5jfk2ftcbe',
  [],
  {},
  { $type: 'org.example.unknown' },
  [{ $type: 'org.example.unknown' }],
  { $type: 'com.atproto.label.defs#selfLabels', values: [] },
]

/** A copy with an odd value in a random field. */
function mutated(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15)) {
    return random.pick(ODDITIES)
  }
  const copy = structuredClone(value) as Value
  const keys = Object.keys(copy)
  if (keys.length === 0) return copy
  const key = random.chance(0.05) ? 'another' : random.pick(keys)
  copy[key] = mutated(copy[key], random)
  return copy
}

function agree(
  records: Value[],
  random: Random,
  times: number,
): { valid: number; invalid: number } {
  const counts = { valid: 0, invalid: 0 }
  for (const record of records) {
    const collection = record['$type'] as Collection
    const isSound = checks.get(collection)!
    for (let i = 0; i < times; i++) {
      const candidate = JSON.parse(
        JSON.stringify(i === 0 ? record : (mutated(record, random) ?? null)),
      ) as Value | null
      if (candidate === null || !isValidRecord(collection, candidate)) {
        counts.invalid++
        continue
      }
      counts.valid++
      expect(isSound(candidate), JSON.stringify(candidate)).toBe(true)
    }
  }
  return counts
}

test('records of random worlds that satisfy their lexicon are sound, even mutated', () => {
  const random = createRandom(11)
  const world = randomWorld(random, 250)
  const records = [...world.records.values()]
    .filter(({ collection }) => checks.has(collection))
    .map(({ value }) => value)
  const { valid, invalid } = agree(records, random, 60)
  expect(valid).toBeGreaterThan(1000)
  expect(invalid).toBeGreaterThan(1000)
})

const hasProduction = existsSync(PRODUCTION)
if (!hasProduction) console.warn(`SKIPPED: ${PRODUCTION} is not there`)

test.skipIf(!hasProduction)('production records that satisfy their lexicon are sound', () => {
  const lines = readFileSync(PRODUCTION, 'utf8').split('\n').filter(Boolean)
  const records = lines
    .map((line) => (JSON.parse(line) as { commit?: { record?: Value } }).commit?.record)
    .filter((record) => record !== undefined && checks.has(record['$type'] as string))
  expect(records.length).toBeGreaterThan(10)
  agree(records as Value[], createRandom(12), 60)
})
