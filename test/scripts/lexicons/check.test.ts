// `npm run lexicons -- --check` with a command in npm's place that publishes packages from a folder: what is new, changed
// and gone upstream, and what we answer.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newsUpstream } from '../../../scripts/lexicons/check.ts'
import { newsTable } from '../../../scripts/lexicons/news.ts'
import { npmRegistry } from '../../../scripts/lexicons/registry.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipstream-npm-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

type Defs = Record<string, object>

const query = (more: object = {}) => ({ main: { type: 'query', ...more } })
const lexicon = (id: string, defs: Defs) => ({ lexicon: 1, id, defs })

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Publishes a version that has its lexicons as files, as @bsky/sdk has them. */
function publishFiles(name: string, version: string, lexicons: Record<string, Defs>): void {
  for (const [id, defs] of Object.entries(lexicons)) {
    const path = join(folder, `${name}@${version}`, 'lexicons', `${id.replaceAll('.', '/')}.json`)
    write(path, JSON.stringify(lexicon(id, defs)))
  }
  write(join(folder, name, 'newest'), version)
}

/** Publishes a version that has them in code, as @atproto/api has them. */
function publishCode(name: string, version: string, literal: string): void {
  const code = `import { nothing } from 'nowhere';\nexport const schemaDict = ${literal};\nthrow new Error('it was run')\n`
  write(join(folder, `${name}@${version}`, 'dist/client/lexicons.js'), code)
  write(join(folder, name, 'newest'), version)
}

/** A command that answers `view NAME version` and `pack NAME@VERSION` from the folder. */
function fakeNpm(): string {
  const path = join(folder, 'npm')
  const script = `#!/bin/sh
case "$1" in
  view) cat "${folder}/$2/newest" ;;
  pack) ln -s "${folder}/$2" package && tar czhf some.tgz package && rm package && echo some.tgz ;;
  *) exit 1 ;;
esac
`
  writeFileSync(path, script)
  chmodSync(path, 0o755)
  return path
}

function news(ours: ReturnType<typeof lexicon>[], packages: string[]) {
  return newsUpstream({
    registry: npmRegistry(fakeNpm()),
    packages: Object.fromEntries(packages.map((name) => [name, '0.0.1'])),
    ours: ours as never,
    answerOf: (id) => (id === 'a.b.changed' ? 'native' : undefined),
  })
}

test('what is new, changed and gone, and what we answer', () => {
  publishCode(
    '@one/api',
    '2.0.0',
    "{ AbKept: { lexicon: 1, id: 'a.b.kept', defs: { main: { type: 'query' } } } }",
  )
  publishFiles('@two/sdk', '1.5.0', {
    'a.b.kept': query({ parameters: 'of the second package, which does not count' }),
    'a.b.changed': query({ errors: [{ name: 'New' }] }),
    'a.b.fresh': { main: { type: 'procedure' } },
    'a.b.authAll': { main: { type: 'permission-set' } },
  })
  const ours = ['a.b.kept', 'a.b.changed', 'a.b.lost'].map((id) => lexicon(id, query()))
  const found = news(ours, ['@one/api', '@two/sdk'])
  expect(found).toEqual({
    versions: { '@one/api': '2.0.0', '@two/sdk': '1.5.0' },
    rows: [
      { id: 'a.b.authAll', change: 'new', kind: 'permission-set', answer: '' },
      { id: 'a.b.changed', change: 'changed', kind: 'query', answer: 'native' },
      { id: 'a.b.fresh', change: 'new', kind: 'procedure', answer: 'not answered' },
      { id: 'a.b.lost', change: 'gone', kind: 'query', answer: 'not answered' },
    ],
  })
  expect(newsTable(found)).toContain('| `a.b.fresh` | procedure | new | not answered |')
})

test('descriptions, and whether references are absolute, make no difference', () => {
  const ref = (to: string) => ({ main: { type: 'array', items: { type: 'ref', ref: to } } })
  publishFiles('@two/sdk', '1.0.0', {
    'a.b.c': { ...ref('#view'), view: { type: 'object', description: 'words', properties: {} } },
    'a.b.d': { main: { type: 'union', refs: ['a.b.c#view', '#x'] } },
  })
  const view = { type: 'object', properties: {} }
  const ours = [
    lexicon('a.b.c', { ...ref('lex:a.b.c#view'), view }),
    lexicon('a.b.d', { main: { type: 'union', refs: ['lex:a.b.c#view', 'lex:a.b.d#x'] } }),
  ]
  const found = news(ours, ['@two/sdk'])
  expect(found.rows).toEqual([])
  expect(newsTable(found)).toContain('Nothing is new there.')
})

test('code that is more than data is refused, not run', () => {
  publishCode('@one/api', '1.0.0', '{ a: process.exit(1) }')
  expect(() => news([], ['@one/api'])).toThrow('lexicons in code are no literal')
})

test('a package without lexicons, and a registry out of reach, are errors', () => {
  write(join(folder, '@one/api/newest'), '1.0.0')
  write(join(folder, '@one/api@1.0.0/README.md'), 'no lexicons')
  expect(() => news([], ['@one/api'])).toThrow('has no lexicons')
  expect(() => news([], ['@three/unknown'])).toThrow()
})
