// The reader's language, for every page with a session.

export const languages = ['en', 'de', 'ja'] as const
type Language = (typeof languages)[number]
const STORED = 'slipstream-language'

let chosen: Language | undefined

/** Whoever chooses another one loads the page again. */
export function language(): Language {
  chosen ??= find()
  return chosen
}

function find(): Language {
  const wanted = [localStorage.getItem(STORED) ?? '', ...navigator.languages]
  const found = wanted
    .map((value) => value.slice(0, 2))
    .find((value) => languages.includes(value as Language))
  return (found as Language | undefined) ?? 'en'
}

/** What others wrote in several languages: in the reader's, or in the first. */
export function inOwnLanguage<T extends { lang: string }>(texts: readonly T[]): T | undefined {
  return texts.find(({ lang }) => lang.slice(0, 2) === language()) ?? texts[0]
}

export function chooseLanguage(value: string): void {
  localStorage.setItem(STORED, value)
}
