// No regular expression in src may need more than a bounded number of steps per input character, because most
// of them read strangers' texts. redos-detector judges every literal by counting its backtracking paths.
// Patterns built from parts are listed here, with the reason why they are safe.

import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { parse, type Token } from 'acorn'
import { isSafe } from 'redos-detector'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '../src')
/** A pattern whose backtracking grows with the text exceeds any limit. */
const MOST_WAYS_BACK = 200

const COMPOSED: Record<string, string> = {
  'features/for-you/suiting.ts': 'a literal of at most 200 characters, between two single ones',
  'data/store/search/words.ts': 'one class of characters, of constants',
  'data/store/members/invite-code.ts': 'a constant alphabet, in groups of a fixed length',
  'answers/skeleton/search/posts.ts': 'constants, each number of a bounded length',
}

type Found = { file: string; literals: string[]; composes: boolean }

function read(file: string): Found {
  const code = stripTypeScriptTypes(readFileSync(join(src, file), 'utf8'))
  const tokens: Token[] = []
  parse(code, { ecmaVersion: 'latest', sourceType: 'module', onToken: tokens })
  const textsOf = (label: string) =>
    tokens
      .filter(({ type }) => type.label === label)
      .map(({ start, end }) => code.slice(start, end))
  return { file, literals: textsOf('regexp'), composes: textsOf('name').includes('RegExp') }
}

/** Parses the text of a literal. */
function toPattern(literal: string): RegExp {
  const end = literal.lastIndexOf('/')
  return new RegExp(literal.slice(1, end), literal.slice(end + 1))
}

function goesBackWithoutEnd(literal: string): boolean {
  return !isSafe(toPattern(literal), { maxScore: MOST_WAYS_BACK }).safe
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map(read)

test('the detector recognises unbounded backtracking', () => {
  const bad = ['/\\/+$/', '/[\\p{P}]+$/u', '/(a+)+b/', '/%.*$/', '/a*a*b/']
  expect(bad.filter((literal) => !goesBackWithoutEnd(literal))).toEqual([])
})

test('no pattern in src backtracks without bound', () => {
  const literals = files.flatMap((file) => file.literals.map((text) => ({ file: file.file, text })))
  expect(literals.length).toBeGreaterThan(100)
  const bad = literals.filter(({ text }) => goesBackWithoutEnd(text))
  expect(bad.map(({ file, text }) => `${file}: ${text}`)).toEqual([])
})

test('patterns are built from parts only where a reason is listed', () => {
  const composing = files.filter(({ composes }) => composes).map(({ file }) => file)
  expect(composing.sort()).toEqual(Object.keys(COMPOSED).sort())
})
