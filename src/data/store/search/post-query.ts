// Parses a post search: words and quoted phrases, either excluded by a minus, and operators (from:, to:,
// mentions:, since:, until:, lang:, domain:, url:, #tag, @handle). Everything else is words. Nothing of the
// text reaches the index except words made by data/store/search/words.ts.

import { normalDomain, normalUrl, term, termsIn } from './post-terms.ts'
import { fold, isDense, pairsOf, runsOf, withoutEnding, withoutPlural } from './words.ts'

export type OperatorName =
  | 'from'
  | 'mentions'
  | 'since'
  | 'until'
  | 'lang'
  | 'domain'
  | 'url'
  | 'tag'
export type Operator = { name: OperatorName; value: string; isExcluded: boolean }

export type PostQuery = {
  /** Sequences of words; the post must contain all of them. */
  phrases: string[]
  /** Phrases that the post must not contain. */
  excluded: string[]
  operators: Operator[]
}

const MAX_QUERY_LENGTH = 1_000
const MAX_PIECES = 32
/** In all phrases and exclusions together: each word is a walk through the posts that have it. */
const MAX_WORDS = 32
const BEFORE_QUOTE = /^(?:-|-?[a-z]+:)$/i

const OPERATORS: Record<string, OperatorName> = {
  from: 'from',
  author: 'from',
  mentions: 'mentions',
  mention: 'mentions',
  to: 'mentions',
  since: 'since',
  until: 'until',
  lang: 'lang',
  language: 'lang',
  domain: 'domain',
  url: 'url',
}

/** Of a longer query, the first 32 pieces and 32 words count; a repeated piece counts once. */
export function parsePostQuery(q: string): PostQuery {
  const query: PostQuery = { phrases: [], excluded: [], operators: [] }
  const plain = q.slice(0, MAX_QUERY_LENGTH).replace(/[“”„«»]/g, '"')
  let wordsLeft = MAX_WORDS
  for (const piece of [...new Set(piecesOf(plain))].slice(0, MAX_PIECES)) {
    const isExcluded = piece.length > 1 && piece.startsWith('-')
    const text = isExcluded ? piece.slice(1) : piece
    const operator = operatorIn(text)
    if (operator) query.operators.push({ ...operator, isExcluded })
    else wordsLeft -= addPhrase(isExcluded ? query.excluded : query.phrases, text, wordsLeft)
  }
  return query
}

/** @returns the number of words added */
function addPhrase(phrases: string[], text: string, maxWords: number): number {
  const words = phraseOf(text).slice(0, maxWords)
  const phrase = words.join(' ')
  if (words.length === 0 || phrases.includes(phrase)) return 0
  phrases.push(phrase)
  return words.length
}

/** Splits at spaces and quotes; a minus or an operator right before a quote belongs to it. */
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  let end = 0
  for (const { 0: piece, index } of text.matchAll(/"[^"]*"?|[^\s"]+/g)) {
    const before = index === end && piece.startsWith('"') ? (pieces.at(-1) ?? '') : ''
    if (BEFORE_QUOTE.test(before)) pieces[pieces.length - 1] = before + piece
    else pieces.push(piece)
    end = index + piece.length
  }
  return pieces
}

/** The words of a text, which are one phrase of the index. */
function phraseOf(text: string): string[] {
  const runs = runsOf(fold(text))
  const [only] = runs
  // A single Chinese character is found anywhere.
  if (runs.length === 1 && isSingleHan(only!)) return [term.character(only!)]
  return runs.flatMap((run) => (isDense(run) ? pairsOf(run) : [withoutPlural(run)]))
}

export type PostFilter = {
  /**
   * Terms of data/store/search/post-terms.ts: at least one of each group must match; an empty group
   * matches nothing.
   */
  groups: string[][]
  /** Terms that must not match. */
  none: string[]
}

/** What the index has to match; each phrase is words and terms, separated by spaces. */
export type PostMatch = {
  /** One of each group must match. */
  wanted: string[][]
  unwanted: string[]
}

/** @returns undefined if nothing can match */
export function matchOf(
  { phrases, excluded }: Pick<PostQuery, 'phrases' | 'excluded'>,
  { groups, none }: PostFilter,
): PostMatch | undefined {
  if (groups.some((group) => group.length === 0)) return undefined
  const wanted = [...phrases.map((phrase) => [phrase]), ...groups.map(once)]
  return {
    wanted: wanted.length > 0 ? wanted : [[term.any]],
    unwanted: once([...excluded, ...none]),
  }
}

/**
 * The match in the index's own language, over one stretch of it, whose words may be spread over
 * two. Everything is quoted, and neither words nor terms can contain a quote.
 */
export function matchIn(stretches: readonly number[], match: PostMatch): string {
  return stretches.map((stretch) => matchInOne(stretch, match)).join(' OR ')
}

function matchInOne(stretch: number, { wanted, unwanted }: PostMatch): string {
  const anyOf = (phrases: readonly string[]) =>
    `(${phrases.map((phrase) => `"${termsIn(stretch, phrase)}"`).join(' OR ')})`
  const all = wanted.map(anyOf).join(' AND ')
  return unwanted.length > 0 ? `((${all}) NOT ${anyOf(unwanted)})` : `(${all})`
}

function once(phrases: readonly string[]): string[] {
  return [...new Set(phrases)]
}

/**
 * The term of an operator that needs no account lookup; undefined for others and for invalid
 * values.
 */
export function operatorTerm({
  name,
  value,
}: Pick<Operator, 'name' | 'value'>): string | undefined {
  switch (name) {
    case 'lang':
      return term.lang(value)
    case 'domain':
      return term.domain(normalDomain(value))
    case 'url': {
      const url = normalUrl(/^https?:/i.test(value) ? value : `https://${value}`)
      return url && term.url(url.normal)
    }
    case 'tag':
      return term.tag(value)
    default:
      return undefined
  }
}

/** Milliseconds since 1970; undefined for an invalid time. A date is its first moment, in UTC. */
export function parseTime(value: string | undefined): number | undefined {
  const time = value === undefined ? Number.NaN : new Date(value).getTime()
  return Number.isNaN(time) ? undefined : time
}

function operatorIn(text: string): Omit<Operator, 'isExcluded'> | undefined {
  const tag = /^[#＃](.+)$/u.exec(text)
  if (tag) return { name: 'tag', value: withoutPunctuation(tag[1]!) }
  if (/^did:[a-z]+:./.test(text)) return { name: 'from', value: text }
  if (/^@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)) return { name: 'mentions', value: text.slice(1) }
  if (/^https?:\/\/./i.test(text)) return { name: 'url', value: text }
  const colon = text.indexOf(':')
  const name = colon > 0 ? OPERATORS[text.slice(0, colon).toLowerCase()] : undefined
  const value = text
    .slice(colon + 1)
    .replaceAll('"', '')
    .trim()
  if (!name || value === '') return undefined
  return { name, value: value.replace(/^[@#]/, '') }
}

function withoutPunctuation(tag: string): string {
  return withoutEnding(tag, /\p{P}/u) || tag
}

function isSingleHan(run: string): boolean {
  return /^\p{Script=Han}$/u.test(run)
}
