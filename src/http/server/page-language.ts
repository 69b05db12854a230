// The language of a page that is made here, by what the browser prefers. Answers name the header that they vary by, so
// that no cache gives one reader's language to another.

import { preferenceWeights } from './preference-weights.ts'

const PAGE_LANGUAGES = ['en', 'de', 'ja'] as const
export type PageLanguage = (typeof PAGE_LANGUAGES)[number]
/** One text in each of them. */
export type Texts = readonly [string, string, string]

const MOST_CHARACTERS = 500

/** @param header - `accept-language`; previews of links often send none */
export function pageLanguage(header: string | undefined): PageLanguage {
  const ranges = (header ?? '').slice(0, MOST_CHARACTERS).split(',')
  const wanted = [...preferenceWeights(ranges)]
    .filter(([, weight]) => weight > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([tag]) => tag.split('-')[0] as PageLanguage)
  return wanted.find((language) => PAGE_LANGUAGES.includes(language)) ?? 'en'
}

export function inLanguage(
  language: PageLanguage,
  texts: Texts,
  values: Readonly<Record<string, string>> = {},
): string {
  const text = texts[PAGE_LANGUAGES.indexOf(language)]!
  return text.replace(/\{(\w{1,30})\}/g, (_, name: string) => values[name] ?? '')
}

export function languageHeaders(language: PageLanguage): Record<string, string> {
  return { 'content-language': language, vary: 'accept-language' }
}
