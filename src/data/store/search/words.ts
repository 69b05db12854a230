// Splits a text into search words, folded so that case and accents don't matter. Stored texts and queries use
// the same functions, so both always agree, and a query reaches the index as these words alone. Scripts
// without spaces between words (and Korean, which glues endings to them) are cut into overlapping pairs of
// characters: a word of these scripts is then a phrase of pairs.

/** Longer words are cut: none is typed in full, and every word is a key of the index. */
const MAX_WORD_LENGTH = 40

const ASCII = /^[\x00-\x7f]*$/
const ASCII_WORD = /[a-z0-9]+/g
const WORD = /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu
/** Accents, harakat and niqqud; not marks that make a different letter, as in が. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0670]/g
const DENSE_SCRIPTS =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\u30fc'
const SAME_DENSITY = new RegExp(`[${DENSE_SCRIPTS}]+|[^${DENSE_SCRIPTS}]+`, 'gu')
const DENSE = new RegExp(`[${DENSE_SCRIPTS}]`, 'u')
const HAN = /\p{Script=Han}/gu

/** Lower-cases a text, drops accents and normalises its spelling. */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  if (ASCII.test(lower)) return lower
  return lower.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase()
}

/**
 * The runs of letters and digits of a folded text, each in one kind of script; emoji are separate.
 */
export function runsOf(folded: string): string[] {
  if (ASCII.test(folded)) return (folded.match(ASCII_WORD) ?? []).map(shortened)
  const words = folded.match(WORD) ?? []
  return words
    .flatMap((word) => word.match(SAME_DENSITY) ?? [])
    .map((run) => {
      return isDense(run) ? run : shortened(run)
    })
}

/** Whether a run is cut into pairs. */
export function isDense(run: string): boolean {
  return DENSE.test(run)
}

/** A run's overlapping pairs of characters; a lone character stays as it is. */
export function pairsOf(run: string): string[] {
  const characters = [...run]
  if (characters.length < 2) return characters
  return characters.slice(1).map((character, i) => characters[i]! + character)
}

/** The words of a text in order, as a positional index stores them. */
export function wordsOf(text: string): string[] {
  return runsOf(fold(text)).flatMap((run) => (isDense(run) ? pairsOf(run) : [withoutPlural(run)]))
}

/** The distinct Chinese characters of a text, which make it findable by a single one. */
export function charactersOf(text: string): string[] {
  return ASCII.test(text) ? [] : [...new Set(fold(text).match(HAN) ?? [])]
}

/** Reduces "cats" to "cat". The rules are Harman's (How effective is suffixing?, 1991). */
export function withoutPlural(word: string): string {
  if (word.length < 4 || !word.endsWith('s')) return word
  if (/[^ea]ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (/(?:us|ss|aes|ees|oes)$/.test(word)) return word
  return word.slice(0, -1)
}

/**
 * Strips matching characters from the end. A regular expression for the end of a text would start
 * at every one of them.
 */
export function withoutEnding(text: string, character: RegExp): string {
  const characters = [...text]
  while (character.test(characters.at(-1) ?? '')) characters.pop()
  return characters.join('')
}

function shortened(word: string): string {
  if (word.length <= MAX_WORD_LENGTH) return word
  return [...word].slice(0, MAX_WORD_LENGTH).join('')
}
