// How a start finds the bundle of the sources as they are: by the files' states where these are known, else by their
// content. In a tree of two files, whose bundle is an empty folder.

import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bundleFolder, folderByStates, rememberStates } from '../../../src/base/util/bundle.ts'
import { eventually } from '../../support/eventually.ts'

let root: string
let source: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'slipstream-bundle-'))
  source = join(root, 'src/data/one.ts')
  mkdirSync(join(root, 'src/data'), { recursive: true })
  writeFileSync(source, 'export const one = 1')
  writeFileSync(join(root, 'package-lock.json'), '{}')
})
afterEach(() => rmSync(root, { recursive: true }))

/** As scripts/bundle-server.ts does it. */
function makeBundle(): string {
  const remember = rememberStates(root)
  const folder = bundleFolder(root)
  mkdirSync(folder, { recursive: true })
  remember(folder)
  return folder
}

/** Files that have just changed are not trusted. */
async function makeSettled(): Promise<string> {
  const check = () => {
    makeBundle()
    expect(folderByStates(root)).toBeDefined()
  }
  await eventually(check, { pollMs: 100 })
  return bundleFolder(root)
}

test('a start finds the bundle without the content of the sources', async () => {
  expect(folderByStates(root)).toBeUndefined()
  const folder = await makeSettled()
  expect(folderByStates(root)).toBe(folder)
})

test('of sources that have just changed, states are not stored', () => {
  makeBundle()
  expect(folderByStates(root)).toBeUndefined()
})

test('a changed file of the same size and time is another state', async () => {
  const folder = await makeSettled()
  const { atime, mtime } = statSync(source)
  writeFileSync(source, 'export const one = 2')
  utimesSync(source, atime, mtime)
  expect(folderByStates(root)).toBeUndefined()
  expect(bundleFolder(root)).not.toBe(folder)
})

test('so are a file more, a file less, and other packages', async () => {
  const changes = [
    () => writeFileSync(join(root, 'src/two.ts'), ''),
    () => rmSync(join(root, 'src/two.ts')),
    () => writeFileSync(join(root, 'package-lock.json'), '{ }'),
  ]
  for (const change of changes) {
    const folder = await makeSettled()
    change()
    // Where a file went, the states may be those of the bundle before.
    expect([undefined, bundleFolder(root)]).toContain(folderByStates(root))
    expect(folderByStates(root)).not.toBe(folder)
  }
})

test('of several bundles, it is the one of these states', async () => {
  const first = await makeSettled()
  writeFileSync(source, 'export const one = 3')
  const second = await makeSettled()
  expect(second).not.toBe(first)
  expect(folderByStates(root)).toBe(second)
})
