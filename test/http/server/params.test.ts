// Query strings against every official query: parameters valid by the lexicon are returned unchanged, with
// defaults; a single wrong value is refused by name. The generator reads the lexicons itself.

import type { Lexicons, LexXrpcQuery } from '@atproto/lexicon'
import { describe, expect, test } from 'vitest'
import { loadLexicons } from '../../../src/base/atproto/lexicons/lexicons.ts'
import { XRPCError } from '../../../src/base/atproto/xrpc-error.ts'
import { createParamsParser } from '../../../src/http/server/input.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'

const lexicons = loadLexicons()

type Property = {
  type: string
  format?: string
  enum?: string[]
  default?: unknown
  minimum?: number
  maximum?: number
  maxLength?: number
  maxGraphemes?: number
  items?: Property
}
type Query = { nsid: string; properties: Record<string, Property>; required: string[] }

function allQueries(all: Lexicons): Query[] {
  return [...all].flatMap((doc) => {
    const main = doc.defs['main'] as LexXrpcQuery | undefined
    if (main?.type !== 'query') return []
    const properties = (main.parameters?.properties ?? {}) as Record<string, Property>
    return [{ nsid: doc.id, properties, required: main.parameters?.required ?? [] }]
  })
}

const queries = allQueries(lexicons)
const DID = 'did:plc:ar7c4by46qjdydhdevvrndac'

/** A value of each format used in parameters, several if their shapes differ. */
const formats: Record<string, string[]> = {
  did: [DID, 'did:web:example.org', 'did:web:localhost%3A3000'],
  handle: ['alice.test', 'a-b.example.co.uk'],
  'at-identifier': [DID, 'alice.test'],
  'at-uri': [
    `at://${DID}/app.bsky.feed.post/3k2a`,
    'at://alice.test',
    `at://${DID}/app.bsky.feed.post`,
  ],
  uri: ['https://example.org/a?b=c&d=e#f', 'at://x'],
  nsid: ['app.bsky.feed.post'],
  cid: ['bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'],
  datetime: ['2026-08-21T12:00:00.000Z', '2026-08-21T12:00:00+02:00'],
  language: ['en', 'pt-BR'],
  tid: ['3k2yihcrp6f2c'],
  'record-key': ['3k2yihcrp6f2c', 'self'],
}
const texts = [
  'x',
  'two words',
  '%',
  'a&b=c',
  '+',
  'ünï©ode 🦋',
  "'; DROP TABLE posts; --",
  '__proto__',
]

function validValue(property: Property, random: Random): unknown {
  switch (property.type) {
    case 'integer': {
      const { minimum = 0, maximum = 1_000_000 } = property
      return minimum + random.below(maximum - minimum + 1)
    }
    case 'boolean':
      return random.chance(0.5)
    case 'array':
      return Array.from({ length: 1 + random.below(3) }, () => validValue(property.items!, random))
    default:
      if (property.enum) return random.pick(property.enum)
      return random.pick(property.format ? formats[property.format]! : texts)
  }
}

function queryString(params: Record<string, unknown>): string {
  return Object.entries(params)
    .flatMap(([name, value]) => [value].flat().map((item) => [name, String(item)]))
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .join('&')
}

function defaults({ properties }: Query): Record<string, unknown> {
  const filled = Object.entries(properties).filter(([, { default: value }]) => value !== undefined)
  return Object.fromEntries(filled.map(([name, { default: value }]) => [name, value]))
}

function randomParams(query: Query, random: Random): Record<string, unknown> {
  const chosen = Object.entries(query.properties).filter(
    ([name]) => query.required.includes(name) || random.chance(0.6),
  )
  return Object.fromEntries(chosen.map(([name, property]) => [name, validValue(property, random)]))
}

function refusal(nsid: string, search: string): string {
  try {
    return JSON.stringify(createParamsParser(lexicons, nsid)(search))
  } catch (error) {
    if (!(error instanceof XRPCError)) throw error
    expect([error.status, error.error]).toEqual([400, 'InvalidRequest'])
    return error.message
  }
}

describe('every official query', () => {
  test('there are many, and every format in their parameters is known here', () => {
    const used = queries.flatMap(({ properties }) =>
      Object.values(properties).map((property) => property.format ?? property.items?.format),
    )
    expect(queries.length).toBeGreaterThan(100)
    expect(used.filter((format) => format && !formats[format])).toEqual([])
  })

  test('valid parameters are returned unchanged, with defaults', () => {
    const random = createRandom(testSeed('valid parameters'))
    for (const query of queries) {
      const parse = createParamsParser(lexicons, query.nsid)
      for (let i = 0; i < 20; i++) {
        const params = randomParams(query, random)
        const search = queryString(params)
        expect(parse(search), `${query.nsid}?${search}`).toEqual({ ...defaults(query), ...params })
      }
    }
  })

  test('a missing required parameter is named', () => {
    const random = createRandom(testSeed('missing parameters'))
    for (const query of queries) {
      for (const name of query.required) {
        const params = randomParams(query, random)
        delete params[name]
        const search = queryString(params)
        expect(refusal(query.nsid, search), query.nsid).toContain(`"${name}"`)
        expect(refusal(query.nsid, `${search}&${name}=`), query.nsid).toContain(`"${name}"`)
      }
    }
  })

  test('one wrong value among right ones is refused by name', () => {
    const random = createRandom(testSeed('wrong parameters'))
    let refused = 0
    for (const query of queries) {
      for (const [name, property] of Object.entries(query.properties)) {
        for (const wrong of wrongValues(property)) {
          const params: Record<string, unknown> = { ...randomParams(query, random), [name]: wrong }
          const message = refusal(query.nsid, queryString(params))
          expect(message, `${query.nsid}?${name}=${wrong}`).toContain(name)
          expect(message).not.toMatch(/^\{/)
          refused += 1
        }
      }
    }
    expect(refused).toBeGreaterThan(1000)
  })
})

function wrongValues(property: Property): unknown[] {
  switch (property.type) {
    case 'integer': {
      const { minimum, maximum } = property
      const outside = [
        minimum === undefined ? [] : minimum - 1,
        maximum === undefined ? [] : maximum + 1,
      ]
      return [
        'abc',
        '1.5',
        '1e3',
        '0x10',
        ' 1',
        '1 ',
        'NaN',
        '99999999999999999999',
        ...outside.flat(),
      ]
    }
    case 'boolean':
      return ['yes', '1', 'TRUE', 'null']
    case 'array':
      return wrongValues(property.items!).map((wrong) => [wrong])
    default:
      return property.format && property.format !== 'uri' ? ['not valid', '\u0000', "' OR 1=1"] : []
  }
}

describe('odd query strings', () => {
  const nsid = 'app.bsky.feed.getTimeline'
  const parse = createParamsParser(lexicons, nsid)

  test.each([
    ['', { limit: 50 }],
    ['limit=', { limit: 50 }],
    ['limit=&limit=7', { limit: 7 }],
    ['limit=007', { limit: 7 }],
    ['cursor=', { limit: 50 }],
    ['cursor=a+b%20c', { limit: 50, cursor: 'a b c' }],
    ['cursor=%ff', { limit: 50, cursor: '\ufffd' }],
    ['nobody=knows&limit=3', { limit: 3 }],
    ['__proto__=x&constructor=y&toString=z', { limit: 50 }],
    ['&&&=&limit=3&', { limit: 3 }],
    ['limit[]=3', { limit: 50 }],
  ])('%s', (search, params) => {
    const parsed = parse(search)
    expect(parsed).toEqual(params)
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  test('a repeated value is refused unless it is a list', () => {
    expect(refusal(nsid, 'limit=1&limit=2')).toBe('limit must be given once')
    const twice = `uris=at://${DID}/app.bsky.feed.post/a&uris=at://${DID}/app.bsky.feed.post/b`
    const { uris } = createParamsParser(lexicons, 'app.bsky.feed.getPosts')(twice)
    expect(uris).toHaveLength(2)
  })

  test('a list longer than the lexicon allows is refused', () => {
    const uris = Array.from({ length: 26 }, (_, i) => `uris=at://${DID}/app.bsky.feed.post/${i}`)
    expect(refusal('app.bsky.feed.getPosts', uris.join('&'))).toContain('uris')
  })

  test('an endless one is refused unread', () => {
    expect(refusal(nsid, `cursor=${'x'.repeat(20_000)}`)).toBe('the query string is too long')
  })
})
