// The lexicons stored as files equal those of the installed version of @atproto/api.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { schemas } from '@atproto/api'
import type { LexiconDoc } from '@atproto/lexicon'
import { expect, it } from 'vitest'
import { collections } from '../../../src/base/atproto/collections.ts'
import { loadLexicons } from '../../../src/data/lexicons/lexicons.ts'

const HINT = 'run node scripts/generate-lexicons.ts'

function kept(name: string): LexiconDoc[] {
  const folder = join(import.meta.dirname, '../../../src/data/lexicons')
  return JSON.parse(readFileSync(join(folder, name), 'utf8'))
}

/** Drops only textual ones: a property may be named `description` too. */
function plain(node: unknown): unknown {
  const isText = (key: string, value: unknown) => key === 'description' && typeof value === 'string'
  return JSON.parse(JSON.stringify(node, (key, value) => (isText(key, value) ? undefined : value)))
}

it('has every official lexicon, without descriptions', () => {
  expect(kept('official-lexicons.json'), HINT).toEqual(plain(schemas))
})

it('has the lexicon of every indexed collection', () => {
  const official = new Map(schemas.map((schema) => [schema.id as string, schema as LexiconDoc]))
  const records = kept('record-lexicons.json')
  const ids = records.map(({ id }) => id)
  for (const collection of collections) expect(ids, HINT).toContain(collection)
  for (const { id, defs } of records) {
    const source = official.get(id) ?? loadLexicons().get(id)
    expect(plain(source!.defs), HINT).toMatchObject(defs)
  }
})
