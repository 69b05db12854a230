// The compiler sees every part that is handed to another in the composition roots: a misspelt one is an error,
// also where it is optional and its feature would be off without a word. Each field is misspelt in a copy of
// its file, and all copies are compiled at once.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { wholes } from './support/wholes.ts'

const root = resolve(import.meta.dirname, '..')
const ROOTS = [
  'app',
  'ingest/thread',
  'ingest/client',
  'http/serve/serving',
  'http/serve/thread',
  'http/serve/threads',
  'http/serve/counting',
  'http/serve/identities',
  'http/xrpc/app-context',
  'http/server/server',
  ...wholes.flatMap(({ wiring = [] }) => wiring),
]
/** The last line of a call's opening, whose argument the fields below are. */
const OPENING = /\b[a-z]\w*\((?:[^()]*, )?\{$/
const FIELD = /^(\s+)(\w+)(,|: .*)$/

const copy = mkdtempSync(join(tmpdir(), 'slipstream-wiring-'))
afterAll(() => rmSync(copy, { recursive: true, force: true }))

type Variant = { file: string; what: string }

/** Copies of a file, each with one field of a call's argument misspelt. */
function misspelt(path: string): Variant[] {
  const lines = readFileSync(join(root, 'src', `${path}.ts`), 'utf8').split('\n')
  return lines.flatMap((line, i) => {
    const [, indent, name, rest] = FIELD.exec(line) ?? []
    if (name === undefined || !isArgument(lines, i, indent!)) return []
    const wrong = `${indent}${name}x: ${rest === ',' ? `${name},` : rest!.slice(2)}`
    const file = `${path}-misspelt-${i}.ts`
    writeFileSync(join(copy, 'src', file), lines.with(i, wrong).join('\n'))
    return [{ file, what: `${path}.ts:${i + 1} ${name}` }]
  })
}

/** A copy that is right, so that an error is known to be of the misspelling. */
function right(path: string): string {
  return `${path}-misspelt-0.ts`
}

function isArgument(lines: readonly string[], at: number, indent: string): boolean {
  const above = lines
    .slice(0, at)
    .findLast((line) => line.search(/\S/) < indent.length && line !== '')
  return above !== undefined && OPENING.test(above)
}

/** The files in which the compiler found errors. */
function compiled(): Set<string> {
  const config = { extends: join(root, 'tsconfig.json'), include: ['src/**/*-misspelt-*.ts'] }
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/.bin/tsc')
  try {
    execFileSync(tsc, ['-p', copy, '--pretty', 'false'], { cwd: copy, maxBuffer: 1 << 26 })
    return new Set()
  } catch (error) {
    const { stdout } = error as { stdout: Buffer }
    return new Set(String(stdout).match(/^src\/\S+-misspelt-\d+\.ts/gm))
  }
}

test('a misspelt part does not compile', () => {
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  cpSync(join(root, 'package.json'), join(copy, 'package.json'))
  const variants = ROOTS.flatMap(misspelt)
  for (const path of ROOTS) cpSync(join(root, 'src', `${path}.ts`), join(copy, 'src', right(path)))
  expect(variants.length).toBeGreaterThan(150)
  const found = compiled()
  expect(ROOTS.map(right).filter((file) => found.has(`src/${file}`))).toEqual([])
  const unseen = variants.filter(({ file }) => !found.has(`src/${file}`))
  expect(unseen.map(({ what }) => what)).toEqual([])
})
