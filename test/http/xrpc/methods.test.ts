// The table of methods is whole and in order: whoever adds a file adds a row.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadLexicons } from '../../../src/data/lexicons/lexicons.ts'
import { createServingWorld } from '../../support/serving-world.ts'

const xrpc = join(import.meta.dirname, '../../../src/http/xrpc')
const world = createServingWorld()
afterAll(() => world.dispose())

const nsids = world.methods.map(({ nsid }) => nsid)

/** Each is named by where it stands. */
const files = ['app', 'com', 'io'].flatMap((folder) =>
  readdirSync(join(xrpc, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}/${path}`.replace(/\.ts$/, '').replaceAll('/', '.')),
)

test('methods are sorted by name, and each is there once', () => {
  expect(nsids).toEqual([...new Set(nsids)].sort())
})

test('every file of a method has its row', () => {
  expect(files.length).toBeGreaterThan(60)
  expect(files.filter((nsid) => !nsids.includes(nsid))).toEqual([])
})

test('each is of the kind that its lexicon says', () => {
  const lexicons = loadLexicons()
  for (const { nsid, kind } of world.methods)
    expect(lexicons.getDefOrThrow(nsid).type, nsid).toBe(kind)
})
