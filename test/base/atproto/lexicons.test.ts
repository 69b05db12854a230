// The lexicons stored as files: those of the installed version of @atproto/api, and what only the other named package has.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { schemas } from '@atproto/api'
import type { LexiconDoc } from '@atproto/lexicon'
import { expect, it } from 'vitest'
import { collections } from '../../../src/base/atproto/collections.ts'
import { loadLexicons } from '../../../src/base/atproto/lexicons/lexicons.ts'

const HINT = 'run npm run lexicons'

function stored(name: string): LexiconDoc[] {
  const folder = join(import.meta.dirname, '../../../src/base/atproto/lexicons')
  return JSON.parse(readFileSync(join(folder, name), 'utf8'))
}

/** Drops only textual ones: a property may be named `description` too. */
function plain(node: unknown): unknown {
  const isText = (key: string, value: unknown) => key === 'description' && typeof value === 'string'
  return JSON.parse(JSON.stringify(node, (key, value) => (isText(key, value) ? undefined : value)))
}

it('has every official lexicon, without descriptions', () => {
  const official = stored('official-lexicons.json')
  const inApi = new Set(schemas.map(({ id }) => id as string))
  const ofApi = (plain(schemas) as LexiconDoc[]).sort((a, b) => (a.id < b.id ? -1 : 1))
  expect(
    official.filter(({ id }) => inApi.has(id)),
    HINT,
  ).toEqual(ofApi)
  const others = official.map(({ id }) => id).filter((id) => !inApi.has(id))
  expect(others).toContain('chat.bsky.convo.exportAccountData')
  expect(others.filter((id) => /^(app|chat)\.bsky\.auth/.test(id))).toHaveLength(10)
})

it('is made from the version of @atproto/api that is installed', () => {
  const root = join(import.meta.dirname, '../../..')
  const { dependencies, lexiconPackages } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  expect(lexiconPackages['@atproto/api']).toBe(dependencies['@atproto/api'])
})

it('has the lexicon of every indexed collection', () => {
  const official = new Map(schemas.map((schema) => [schema.id as string, schema as LexiconDoc]))
  const records = stored('record-lexicons.json')
  const ids = records.map(({ id }) => id)
  for (const collection of collections) expect(ids, HINT).toContain(collection)
  for (const { id, defs } of records) {
    const source = official.get(id) ?? loadLexicons().get(id)
    // A record inside of another one is an object for the validator.
    const parts = id === 'site.standard.theme.basic' ? { main: source!.defs['main'] } : source!.defs
    if (parts === source!.defs) expect(plain(parts), HINT).toMatchObject(defs)
    else
      expect(defs['main']).toMatchObject({
        type: 'object',
        required: expect.arrayContaining(['$type']),
      })
  }
})
