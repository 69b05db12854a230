// Hostile answers of a public AppView: endlessly nested, with keys that reach prototypes, or no text. Those of other
// servers: test/security/hostile-answers.test.ts.

import { expect, test } from 'vitest'
import { parseObject } from '../../../../src/features/fallback/appview/json.ts'

const DEPTH = 500_000

const nested = (opening: string, closing: string) =>
  `${opening.repeat(DEPTH)}1${closing.repeat(DEPTH)}`
const polluting = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'

test.each([
  ['deep lists', `{"feed":${nested('[', ']')}}`],
  ['deep objects', nested('{"a":', '}')],
  ['a prototype', polluting],
  ['a prototype deep inside', `{"feed":[${polluting}]}`],
  ['half of a surrogate pair', '{"feed":"\\ud800"}'],
  ['a list', '[]'],
])('%s are rejected', (_what, body) => {
  expect(parseObject(Buffer.from(body))).toBeUndefined()
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

test('any other object is read', () => {
  expect(parseObject(Buffer.from('{"feed":[{"a":1}]}'))).toEqual({ feed: [{ a: 1 }] })
})
