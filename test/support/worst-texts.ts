// Texts that make careless code scan the same characters again and again: runs in which a pattern may start
// anywhere, brackets that open and never close, characters that combine with their neighbours.

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

/** Its name and its generator. */
export type Worst = [string, (size: number) => unknown]
export type WorstText = keyof typeof units

export const worstTexts = Object.keys(units) as WorstText[]

/** @param size - approximate size of its JSON */
export function worstText(name: WorstText, size: number): string {
  const unit = units[name]
  const length = Buffer.byteLength(JSON.stringify(unit)) - 2
  return unit.repeat(Math.max(1, Math.floor(size / length)))
}

/** Replacements of about `size` for a text, or for a list with one element. */
export function worstOf(value: unknown): Worst[] {
  if (Array.isArray(value)) {
    return [
      ['the same again and again', (size) => manyOf(value, size, () => sampleDid)],
      ['one for each of many', (size) => manyOf(value, size, (i) => didOf(`${i}`))],
    ]
  }
  return worstTexts.map((name) => [name, (size) => `${value}${worstText(name, size)}!x`])
}

function manyOf([item]: unknown[], size: number, did: (i: number) => string): unknown[] {
  const json = JSON.stringify(item) ?? '0'
  const count = Math.floor(size / (json.length + 1))
  return Array.from({ length: count }, (_, i) => JSON.parse(json.replaceAll(sampleDid, did(i))))
}
