// Which records exist: our verdict beside that of the reference's index (@atproto/lex-schema, strict, with the
// lexicons of @bsky/sdk), over named cases, which are the table of docs/METHODS.md, and over mutated records.

import { readFileSync } from 'node:fs'
import { lexParse } from '@atproto/lex'
import { app } from '@bsky/sdk/lexicons'
import { expect, test } from 'vitest'
import { recordVerdicts } from '../../scripts/record-verdicts.ts'
import type { Collection } from '../../src/base/atproto/collections.ts'
import { asArray, asObject, type JsonObject } from '../../src/base/util/json-object.ts'
import { isValidRecord } from '../../src/ingest/indexing/validation/validate.ts'
import { createRandom } from '../support/random.ts'
import { mutateRecord, recordSamples } from '../support/record-corpus.ts'
import { testSeed } from '../support/seed.ts'

const MUTATIONS = 30_000

type Schema = { matches(value: unknown): boolean }

function isValidThere(collection: string, record: JsonObject): boolean {
  const [group, name] = collection.split('.').slice(2) as [keyof typeof app.bsky, string]
  const { main } = (app.bsky[group] as unknown as Record<string, { main: Schema }>)[name]!
  try {
    return main.matches(lexParse(JSON.stringify(record), { strict: false }))
  } catch {
    return false
  }
}

/** Blobs of the first form, which are kept here and not there, are given a size and a type. */
function withoutLegacyBlobs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLegacyBlobs)
  if (typeof value !== 'object' || value === null) return value
  const { cid, mimeType, ...rest } = value as JsonObject
  const isLegacy =
    typeof cid === 'string' && mimeType !== undefined && Object.keys(rest).length === 0
  if (isLegacy) return 'a blob of the first form'
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutLegacyBlobs(inner)]),
  )
}

/** Whether a blob stands for a whole embed or feature, which is left out here and not there. */
function hasBareBlob({ embed, facets }: JsonObject): boolean {
  const media = asObject(embed)?.['media']
  const features = asArray(facets).flatMap((facet) => asArray(asObject(facet)?.['features']))
  return [embed, media, ...features].some((item) => asObject(item)?.['$type'] === 'blob')
}

test.each(recordVerdicts)('$what', ({ collection, record, here, there }) => {
  expect(isValidRecord(collection as Collection, record)).toBe(here)
  expect(isValidThere(collection, record)).toBe(there)
})

test('docs/METHODS.md has the table', () => {
  const page = readFileSync(new URL('../../docs/METHODS.md', import.meta.url), 'utf8')
  for (const { what } of recordVerdicts) expect(page).toContain(`| ${what} |`)
})

test('mutated records have the verdict of the reference', () => {
  const random = createRandom(testSeed('record verdicts'))
  const accepted = { here: 0, refused: 0 }
  for (let i = 0; i < MUTATIONS; i++) {
    const [collection, sample] = random.pick(recordSamples)
    let mutated = mutateRecord(random, sample)
    if (random.chance(0.2)) mutated = mutateRecord(random, mutated)
    const record = withoutLegacyBlobs(mutated) as JsonObject
    if (hasBareBlob(record)) continue
    const isValid = isValidRecord(collection, record)
    expect([isValid, record]).toEqual([isValidThere(collection, record), record])
    accepted[isValid ? 'here' : 'refused']++
  }
  expect(accepted.here).toBeGreaterThan(MUTATIONS / 20)
  expect(accepted.refused).toBeGreaterThan(MUTATIONS / 20)
})
