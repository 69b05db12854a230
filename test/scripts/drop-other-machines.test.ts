import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dropOtherMachines } from '../../scripts/drop-other-machines.ts'

let packages: string
beforeEach(() => {
  packages = mkdtempSync(join(tmpdir(), 'slipstream-packages-'))
})
afterEach(() => rmSync(packages, { recursive: true, force: true }))

function have(paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(packages, path)), { recursive: true })
    writeFileSync(join(packages, path), '')
  }
}

function left(): string[] {
  const entries = readdirSync(packages, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(packages.length + 1))
    .sort()
}

// The tests run on glibc.
const here = `${process.platform}-${process.arch}`

test('drops the files for other machines and compilers, and keeps those for this one', () => {
  const needed = [
    `@img/colour/index.js`,
    `@img/sharp-${here}/lib/sharp.node`,
    `@img/sharp-libvips-${here}/lib/libvips.so`,
    `better-sqlite3/lib/index.js`,
    `better-sqlite3/prebuilds/${here}.node`,
    `hono/src/index.js`,
    `node-${here}/bin/node`,
  ]
  have(needed)
  have([
    '@img/sharp-sunos-x64/lib/sharp.node',
    '@img/sharp-libvips-sunos-x64/lib/libvips.so',
    '@img/sharp-wasm32/lib/sharp.wasm',
    'better-sqlite3/deps/sqlite3.c',
    'better-sqlite3/src/addon.cpp',
    'better-sqlite3/prebuilds/sunos-x64.node',
    `node-${here}/include/node.h`,
    'hono/dist/index.js.map',
    'hono/dist/types/index.d.ts',
    'undici/types/index.d.mts',
    'zod/index.d.cts.map',
  ])
  dropOtherMachines(packages)
  expect(left()).toEqual(needed.toSorted())
})

test('leaves alone what a link leads to: a package of our own', () => {
  const own = mkdtempSync(join(tmpdir(), 'slipstream-own-package-'))
  writeFileSync(join(own, 'types.d.ts'), '')
  symlinkSync(own, join(packages, 'own'))
  dropOtherMachines(packages)
  expect(readdirSync(own)).toEqual(['types.d.ts'])
  rmSync(own, { recursive: true })
})

test('keeps everything if no file for this machine is known', () => {
  const strange = ['@img/sharp-sunos-x64/sharp.node', 'better-sqlite3/prebuilds/sunos-x64.node']
  have(strange)
  dropOtherMachines(packages)
  expect(left()).toEqual(strange)
})

test('keeps those for another machine, by its name', () => {
  have(['better-sqlite3/prebuilds/sunos-x64.node', `better-sqlite3/prebuilds/${here}.node`])
  dropOtherMachines(packages, 'sunos-x64')
  expect(left()).toEqual(['better-sqlite3/prebuilds/sunos-x64.node'])
})
