// Bodies of procedures: valid by their lexicon, or refused; none can reach a prototype or exhaust the stack.

import { describe, expect, test } from 'vitest'
import { loadLexicons } from '../../../src/base/atproto/lexicons/lexicons.ts'
import { XRPCError } from '../../../src/base/atproto/xrpc-error.ts'
import { createInputParser, readSafeJson } from '../../../src/http/server/input.ts'

const lexicons = loadLexicons()
const parseMute = createInputParser(lexicons, 'app.bsky.graph.muteActor')
const JSON_TYPE = 'application/json'

function refusal(run: () => unknown): string {
  try {
    run()
    return 'accepted'
  } catch (error) {
    if (!(error instanceof XRPCError)) throw error
    expect([error.status, error.error]).toEqual([400, 'InvalidRequest'])
    return error.message
  }
}

test('a valid body is read', () => {
  const body = Buffer.from('{"actor":"alice.test"}')
  expect(parseMute(body, JSON_TYPE)).toEqual({ actor: 'alice.test' })
  expect(parseMute(body, 'Application/JSON; charset=utf-8')).toEqual({ actor: 'alice.test' })
})

test.each([
  ['no body', '', JSON_TYPE, 'expected but none'],
  ['no content type', '{"actor":"alice.test"}', undefined, 'Content-Type'],
  ['another content type', '{"actor":"alice.test"}', 'text/plain', 'Content-Type'],
  [
    'a content type that only begins like JSON’s',
    '{"actor":"a.test"}',
    'application/jsonx',
    'Content-Type',
  ],
  ['invalid JSON', '{actor}', JSON_TYPE, 'not JSON'],
  ['a missing property', '{}', JSON_TYPE, 'actor'],
  ['a property of the wrong type', '{"actor":["alice.test"]}', JSON_TYPE, 'actor'],
  ['a property of the wrong format', '{"actor":"alice"}', JSON_TYPE, 'actor'],
  ['a list', '[]', JSON_TYPE, 'Input'],
  ['null', 'null', JSON_TYPE, 'Input'],
])('%s is refused', (_what, body, type, message) => {
  expect(refusal(() => parseMute(Buffer.from(body), type))).toContain(message)
})

test('a query takes no body', () => {
  const parse = createInputParser(lexicons, 'app.bsky.feed.getTimeline')
  expect(parse(Buffer.alloc(0), undefined)).toBeUndefined()
  expect(refusal(() => parse(Buffer.from('{}'), JSON_TYPE))).toContain('none was expected')
})

describe('dangerous JSON', () => {
  test.each([
    ['at the top', '{"__proto__":{"isAdmin":true}}'],
    ['deep inside', '{"a":[{"b":{"__proto__":1}}]}'],
    ['escaped', '{"\\u005f_proto__":1}'],
  ])('__proto__ %s is refused', (_where, json) => {
    expect(refusal(() => parseMute(Buffer.from(json), JSON_TYPE))).toContain('__proto__')
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined()
  })

  test.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('endlessly nested %s are refused', (_what, opening, closing) => {
    const nested = (depth: number) =>
      Buffer.from(`${opening.repeat(depth)}1${closing.repeat(depth)}`)
    expect(readSafeJson(nested(32))).toBeDefined()
    expect(refusal(() => parseMute(nested(33), JSON_TYPE))).toContain('deep')
    expect(refusal(() => parseMute(nested(10_000), JSON_TYPE))).toContain('deep')
  })

  test('other names of Object’s are plain keys', () => {
    const value = readSafeJson(Buffer.from('{"constructor":1,"toString":2,"hasOwnProperty":3}'))
    expect(value).toEqual({ constructor: 1, toString: 2, hasOwnProperty: 3 })
  })
})
