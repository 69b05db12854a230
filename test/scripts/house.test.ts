import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { measureHouse } from '../../scripts/house/rooms.ts'

let tree: string
beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'slipstream-house-'))
})
afterEach(() => rmSync(tree, { recursive: true, force: true }))

/** @param files - by path below src, the specifiers that each imports */
function build(files: Record<string, string[]>): void {
  for (const [path, imports] of Object.entries(files)) {
    const file = join(tree, 'src', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, imports.map((from) => `import { a } from '${from}'\n`).join(''))
  }
}

test('rooms are folders in circles, and an arrow counts once, whatever number of files draws it', () => {
  build({
    'main.ts': ['./http/xrpc/a.ts'],
    'http/xrpc/a.ts': ['../../data/store/a.ts', './deep/b.ts'],
    'http/xrpc/deep/b.ts': ['../../../data/store/read/b.ts'],
    'data/store/a.ts': [],
    'data/store/read/b.ts': ['../a.ts'],
    'data/generated/c.ts': ['../store/a.ts'],
  })
  const { rooms, folders } = measureHouse(tree)
  expect(rooms).toMatchObject({ files: 5, lines: 5, rooms: 2, arrows: 1, pairs: [] })
  expect(folders[0]![1]).toBe(1)
})

test('rooms that import each other are a pair', () => {
  build({
    'http/server/a.ts': ['../xrpc/b.ts'],
    'http/xrpc/b.ts': [],
    'http/xrpc/c.ts': ['../server/a.ts'],
  })
  const { rooms, folders } = measureHouse(tree)
  expect(rooms).toMatchObject({ arrows: 2, pairs: ['http/server → http/xrpc'] })
  expect(folders[0]).toEqual(['http/xrpc', 2])
})

test('the core is all but features, of which it may name the list', () => {
  build({
    'http/serve/a.ts': ['../../features/push/serve.ts', '../../features/features.ts'],
    'features/features.ts': ['./push/feature.ts'],
    'features/push/feature.ts': [],
    'features/push/serve.ts': ['../../http/serve/a.ts'],
  })
  const { rooms, core, toFeatures } = measureHouse(tree)
  expect(rooms).toMatchObject({ files: 4, rooms: 2, arrows: 2 })
  expect(core).toMatchObject({ files: 1, rooms: 1, arrows: 0 })
  expect(toFeatures).toEqual(['http/serve/a.ts → features/push/serve.ts'])
})
