// Bytes assembled from cached pieces equal plain serialisation, the first time and every time after.

import { expect, test } from 'vitest'
import {
  byteText,
  extended,
  jsonBytes,
  memoJson,
  ReadyJson,
  withFields,
} from '../../../../src/answers/views/json/ready-json.ts'
import { createRandom, type Random } from '../../../support/random.ts'

const SEED = Number(process.env['SEED'] ?? 4_477)
const TEXTS = [
  '',
  'plain',
  'quote " and \\ back',
  'line\nbreak',
  'Grüße ☕ 🦋',
  '\ud800 alone',
  '\u2028',
]
const NAMES = ['a', 'name', '$type', 'mit "quotes"', 'ü', '7']

function scalar(random: Random): unknown {
  const some = [0, -1.5, 1e21, NaN, true, false, null, undefined, new Date(7), ...TEXTS]
  return random.pick(some)
}

function fields(random: Random, depth: number, prefix: string): object {
  const names = NAMES.filter(() => random.chance(0.5))
  return Object.fromEntries(names.map((name) => [prefix + name, anything(random, depth - 1)]))
}

function anything(random: Random, depth: number): unknown {
  if (depth === 0 || random.chance(0.3)) return scalar(random)
  if (random.chance(0.3))
    return Array.from({ length: random.below(4) }, () => anything(random, depth - 1))
  const base = fields(random, depth, '')
  const value = random.chance(0.4)
    ? extended(random.chance(0.5) ? memoJson(base) : base, fields(random, depth, 'more '))
    : base
  return random.chance(0.4) ? memoJson(value) : value
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null')

test(`random values, cached and extended at any depth (seed ${SEED})`, () => {
  const random = createRandom(SEED)
  for (let i = 0; i < 3_000; i++) {
    const value = anything(random, 5)
    const expected = plain(value)
    expect(JSON.parse(jsonBytes(value).toString())).toEqual(expected)
    expect(JSON.parse(jsonBytes([value, value]).toString())).toEqual([expected, expected])
  }
})

test('a page larger than any before it', () => {
  const long = memoJson({ text: 'ü'.repeat(3_000_000) })
  const page = { feed: [long, { text: '☕'.repeat(1_000_000) }, long] }
  expect(JSON.parse(jsonBytes(page).toString())).toEqual(page)
  expect(jsonBytes({ small: 1 }).toString()).toBe('{"small":1}')
})

test('the next answer does not change the previous one', () => {
  const first = jsonBytes({ a: memoJson({ b: 1 }) })
  jsonBytes(['something else'])
  expect(first.toString()).toBe('{"a":{"b":1}}')
})

test('nor for long answers: each has its own memory', () => {
  const answers = ['a', 'ü', '☕', 'b'].map((letter) => ({ text: letter.repeat(90_000) }))
  const bytes = answers.map((answer) => jsonBytes(answer))
  expect(bytes.map((byte) => JSON.parse(byte.toString()))).toEqual(answers)
})

test('prepared JSON is written unchanged, alone and in arrays', () => {
  const values = [{ text: 'Grüße ☕' }, { text: 'plain' }]
  const ready = values.map((value) => new ReadyJson([byteText(value)]))
  const answer = { none: [], feed: ready, subject: ready[0], ü: 1 }
  expect(JSON.parse(jsonBytes(answer).toString())).toEqual({
    none: [],
    feed: values,
    subject: values[0],
    ü: 1,
  })
})

test('fields are added to prepared JSON, however many parts it has', () => {
  for (const parts of [['{"a":"ü"}'], ['{"a":', '"ü"', '}'], ['{"a":"ü"', '}']]) {
    const ready = new ReadyJson(parts.map((part) => Buffer.from(part).toString('latin1')))
    const read = (value: object) => JSON.parse(jsonBytes(value).toString())
    expect(read(withFields(ready, { b: '☕' }))).toEqual({ a: 'ü', b: '☕' })
    expect(read(withFields(ready, { b: undefined }))).toEqual({ a: 'ü' })
    expect(read(ready)).toEqual({ a: 'ü' })
  }
})
