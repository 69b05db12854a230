// Files of pages: a page names them without making any, and what is asked for at once is made in turns.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { assetRoutes, assetsOf } from '../../../src/http/server/asset-files.ts'

/** How often types were stripped, by turn of the event loop. */
const turns: number[] = []

vi.mock('node:module', async (original) => {
  const module = await original<typeof import('node:module')>()
  return { ...module, stripTypeScriptTypes: vi.fn(module.stripTypeScriptTypes) }
})

beforeEach(() => {
  turns.length = 0
  vi.mocked(stripTypeScriptTypes).mockClear()
})

const folder = mkdtempSync(join(tmpdir(), 'asset-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = (name: string) => join(folder, name)
const names = ['theme.ts', 'status.ts', 'explore.ts', 'charts.ts', 'copy.ts', 'dom.ts']
const files = new Map(['page.css', ...names].map((name) => [name, file(name)]))
for (const [i, name] of names.entries())
  writeFileSync(file(name), `export const twice${i} = (text: string): string => text + text\n`)
writeFileSync(file('page.css'), 'body { margin: 0 }\n')

test('a page names its files without making them, and each is made once', async () => {
  const assets = assetsOf(() => ({ path: '/page', files }))
  const [, , digest] = assets().pathOf('theme.ts').split('/')
  expect(stripTypeScriptTypes).not.toHaveBeenCalled()
  const of = (name: string) => assetRoutes(assets).request(`/${digest}/${name}`)
  expect(await (await of('page.css')).text()).toBe(readFileSync(file('page.css'), 'utf8'))
  expect(stripTypeScriptTypes).not.toHaveBeenCalled()
  const first = await (await of('theme.ts')).text()
  expect(first).toContain('twice0')
  expect(first).not.toMatch(/: string/)
  const stripped = vi.mocked(stripTypeScriptTypes).mock.calls.length
  expect(await (await of('theme.ts')).text()).toBe(first)
  expect(vi.mocked(stripTypeScriptTypes).mock.calls.length).toBe(stripped)
  expect((await of('other.ts')).status).toBe(404)
})

test('scripts that are asked for at once are made one in a turn', async () => {
  const assets = assetsOf(() => ({ path: '/page', files }))
  const [, , digest] = assets().pathOf('theme.ts').split('/')
  const counted = () => vi.mocked(stripTypeScriptTypes).mock.calls.length
  let isDone = false
  let before = 0
  const count = () => {
    turns.push(counted() - before)
    before = counted()
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const bodies = await Promise.all(names.map((name) => assets().find(digest!, name)!))
  isDone = true
  expect(Math.max(...turns)).toBe(1)
  for (const { body, compressed } of bodies)
    expect(brotliDecompressSync(compressed)).toEqual(Buffer.from(body))
})

test('another file, or other imports, are other addresses', () => {
  const pathOf = (imports: Record<string, string>, all = files) =>
    assetsOf(() => ({ path: '/page', files: all, imports }))().pathOf('theme.ts')
  const path = pathOf({})
  expect(pathOf({})).toBe(path)
  expect(pathOf({ uplot: './uplot.js' })).not.toBe(path)
  expect(pathOf({}, new Map([...files, ['dom.ts', file('copy.ts')]]))).not.toBe(path)
})
