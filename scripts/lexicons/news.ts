// What packages of lexicons have that ours have not: a row for each lexicon that is new, changed or gone, with what we
// answer. The last check's rows are in news.json, and from there in docs/METHODS.md.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Lexicon } from './package-lexicons.ts'
import type { Packages } from './union.ts'

type Change = 'new' | 'changed' | 'gone'

type NewsRow = { id: string; change: Change; kind: string; answer: string }

/** `versions`: those that were the newest. */
export type News = { versions: Packages; rows: NewsRow[] }

/** @param answerOf - how we answer a method; undefined for what is none, or none for an AppView */
type Compared = {
  ours: readonly Lexicon[]
  theirs: readonly Lexicon[]
  answerOf: (id: string) => string | undefined
}

const FILE = join(import.meta.dirname, 'news.json')
const METHODS: readonly unknown[] = ['query', 'procedure', 'subscription']

export function newsRows({ ours, theirs, answerOf }: Compared): NewsRow[] {
  const [mine, other] = [byId(ours), byId(theirs)]
  return [...new Set([...mine.keys(), ...other.keys()])].sort().flatMap((id) => {
    const change = changeOf(mine.get(id), other.get(id))
    if (!change) return []
    const kind = String((other.get(id) ?? mine.get(id))?.defs['main']?.['type'] ?? 'definitions')
    const answer = METHODS.includes(kind) ? (answerOf(id) ?? 'not answered') : ''
    return [{ id, change, kind, answer }]
  })
}

function byId(lexicons: readonly Lexicon[]): Map<string, Lexicon> {
  return new Map(lexicons.map((lexicon) => [lexicon.id, lexicon]))
}

function changeOf(ours: Lexicon | undefined, theirs: Lexicon | undefined): Change | undefined {
  if (!ours) return 'new'
  if (!theirs) return 'gone'
  return isDeepStrictEqual(plain(ours), plain(theirs)) ? undefined : 'changed'
}

/** Without undefined fields and the order of fields, which say nothing. */
function plain({ defs }: Lexicon): unknown {
  return JSON.parse(JSON.stringify(defs))
}

export function newsTable({ versions, rows }: News): string {
  const checked = Object.entries(versions).map(([name, version]) => `\`${name}\` ${version}`)
  const head = `Compared with ${checked.join(' and ')}, the newest versions at the last check.`
  if (rows.length === 0) return `${head} Nothing is new there.`
  const lines = rows.map(
    ({ id, change, kind, answer }) => `| \`${id}\` | ${kind} | ${change} | ${answer} |`,
  )
  return [
    head,
    '',
    '| lexicon | kind | there | our answer |',
    '| --- | --- | --- | --- |',
    ...lines,
  ].join('\n')
}

export function readNews(): News {
  return JSON.parse(readFileSync(FILE, 'utf8')) as News
}

export function writeNews(news: News): void {
  writeFileSync(FILE, `${JSON.stringify(news, null, 2)}\n`)
}
