import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cidForLex } from '@atproto/lex-cbor'
import { jsonToLex } from '@atproto/lex-json'
import { describe, expect, it } from 'vitest'
import { UnencodableError } from '../../../src/base/atproto/dag-cbor/encode.ts'
import { cidOfRecord } from '../../../src/base/atproto/record-cid.ts'
import type { JsonObject } from '../../../src/base/util/json-object.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'

const EVENTS = join(
  import.meta.dirname,
  '../../../../shared/data/jetstream/production-v1-2026-07-04.jsonl',
)
const LINK = 'bafkreibjfgx2gprinfvicegelk5kosd6y2frmqpqzwqkg7usac74l3t2v4'

const trusted = async (record: JsonObject) =>
  (await cidForLex(jsonToLex(record as never))).toString()

function randomValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 3 ? 7 : 9)
  if (kind === 0) return random.below(2 ** [3, 8, 16, 31, 53][random.below(5)]!)
  if (kind === 1) return -random.below(2 ** [3, 8, 16, 31, 53][random.below(5)]!)
  if (kind === 2) return randomText(random)
  if (kind === 3) return random.chance(0.5)
  if (kind === 4) return null
  if (kind === 5) return { $link: LINK }
  if (kind === 6)
    return { $bytes: Buffer.from(randomText(random)).toString('base64').replaceAll('=', '') }
  if (kind === 7)
    return Array.from({ length: breadth(random, depth) }, () => randomValue(random, depth + 1))
  return randomObject(random, depth + 1)
}

function randomObject(random: Random, depth: number): JsonObject {
  const keys = Array.from({ length: breadth(random, depth) }, () => `k${randomText(random)}`)
  return Object.fromEntries(keys.map((key) => [key, randomValue(random, depth)]))
}

/** Returns a breadth, often above the 23 that fit the first byte if that does not multiply. */
function breadth(random: Random, depth: number): number {
  return random.below(depth <= 1 ? 30 : 4)
}

function randomText(random: Random): string {
  const alphabet = ['a', 'b', 'Z', '0', '_', 'é', '日', '😀', ' ', '"', '\n']
  const length = random.chance(0.01) ? random.below(3_000) : random.below(40)
  return Array.from({ length }, () => random.pick(alphabet)).join('')
}

describe('the CID of a record', () => {
  it('equals that of the official libraries, for any record', async () => {
    const random = createRandom(testSeed('record-cid'))
    for (let i = 0; i < 200; i++) {
      const record = randomObject(random, 0)
      expect(cidOfRecord(record)).toBe(await trusted(record))
    }
  })

  it('does not depend on the order of keys', () => {
    expect(cidOfRecord({ bb: 1, a: 2, c: 3 })).toBe(cidOfRecord({ c: 3, a: 2, bb: 1 }))
  })

  it('exists only for values that the data model allows', () => {
    const deep: JsonObject = {}
    let inner = deep
    for (let i = 0; i < 200; i++) {
      inner['a'] = {}
      inner = inner['a'] as JsonObject
    }
    const others: JsonObject[] = [
      { a: 1.5 },
      { a: 2 ** 60 },
      { a: { $link: 'nonsense' } },
      { a: ['half of a pair: \ud83d'] },
      { '\ude00': 1 },
      JSON.parse('{"a":{"__proto__":{}}}'),
    ]
    for (const record of [deep, ...others]) {
      expect(() => cidOfRecord(record)).toThrow(UnencodableError)
    }
  })

  const present = existsSync(EVENTS)
  if (!present) console.warn(`record-cid: skipped, ${EVENTS} is missing`)
  it.skipIf(!present)('matches the CIDs of production events', () => {
    const lines = readFileSync(EVENTS, 'utf8').split('\n').filter(Boolean)
    const commits = lines.map((line) => JSON.parse(line).commit).filter((item) => item?.record)
    expect(commits.length).toBeGreaterThan(100)
    for (const { record, cid } of commits) expect(cidOfRecord(record)).toBe(cid)
  })
})
