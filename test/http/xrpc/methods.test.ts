// The table of methods is complete and sorted: adding a method's file requires adding its row.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadLexicons } from '../../../src/base/atproto/lexicons/lexicons.ts'
import { methods } from '../../../src/http/xrpc/methods.ts'
import { createServingWorld } from '../../support/serving-world.ts'

const xrpc = join(import.meta.dirname, '../../../src/http/xrpc')
const world = createServingWorld()
afterAll(() => world.dispose())

const nsids = world.methods.map(({ nsid }) => nsid)

/** NSIDs, derived from file paths. */
const files = ['app', 'com', 'io'].flatMap((folder) =>
  readdirSync(join(xrpc, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}/${path}`.replace(/\.ts$/, '').replaceAll('/', '.')),
)

test('methods are sorted by name, and unique among those of features, too', () => {
  const ofCore = methods.map(({ nsid }) => nsid)
  expect(ofCore).toEqual([...ofCore].sort())
  expect(nsids).toEqual([...new Set(nsids)])
})

test('every method file has its row', () => {
  expect(files.length).toBeGreaterThan(60)
  expect(files.filter((nsid) => !nsids.includes(nsid))).toEqual([])
})

test('each method has the kind its lexicon declares', () => {
  const lexicons = loadLexicons()
  for (const { nsid, kind } of world.methods)
    expect(lexicons.getDefOrThrow(nsid).type, nsid).toBe(kind)
})
