// Texts on which careless code goes over the same characters again and again: runs that a pattern may begin
// anywhere in, brackets that open and never close, characters that join their neighbours.

import { sampleDid } from './lexicon-samples.ts'
import { didOf } from './records.ts'

const units = {
  slashes: '/',
  spaces: ' ',
  'line breaks': ' \n',
  ats: '@',
  handles: '@a.',
  hashes: '#',
  tags: '#a ',
  dots: '.',
  labels: 'a.',
  hyphens: '-',
  colons: ':',
  percents: '%',
  escapes: '%2F',
  equals: '=',
  'a letter': 'a',
  digits: '0',
  words: 'a ',
  quotes: '"',
  backslashes: '\\',
  brackets: '[',
  'curly brackets': '{"',
  parentheses: '(',
  angles: '<',
  'question marks': '?&',
  'combining marks': '\u0301',
  'accented letters': 'e\u0301\u0323',
  emoji: '\u{1f600}',
  families: '\u{1f468}\u200d',
  flags: '\u{1f1e9}',
  'a half pair': '\ud83d',
  'Chinese characters': '和',
  jamo: '\u1100',
  conjuncts: 'क्',
  ligatures: '\ufdfa',
  'right to left': '\u202e',
  'zero bytes': '\0',
} as const

/** Its name, and how it is made. */
export type Worst = [string, (size: number) => unknown]
export type WorstText = keyof typeof units

export const worstTexts = Object.keys(units) as WorstText[]

/** @param size - of its JSON, about */
export function worstText(name: WorstText, size: number): string {
  const unit = units[name]
  const length = Buffer.byteLength(JSON.stringify(unit)) - 2
  return unit.repeat(Math.max(1, Math.floor(size / length)))
}

/** What may stand instead of a text, or of a list that has one thing in it, of about `size`. */
export function worstOf(value: unknown): Worst[] {
  if (Array.isArray(value)) {
    return [
      ['the same again and again', (size) => manyOf(value, size, () => sampleDid)],
      ['one for each of many', (size) => manyOf(value, size, (i) => didOf(`${i}`))],
    ]
  }
  return worstTexts.map((name) => [name, (size) => `${value}${worstText(name, size)}!x`])
}

function manyOf([one]: unknown[], size: number, did: (i: number) => string): unknown[] {
  const json = JSON.stringify(one) ?? '0'
  const count = Math.floor(size / (json.length + 1))
  return Array.from({ length: count }, (_, i) => JSON.parse(json.replaceAll(sampleDid, did(i))))
}
