// What a text is to a search: its words, folded so that case and accents don't matter. Stored texts and queries go
// through the same functions, so both always agree, and what reaches the index as a query is made of these words
// alone. Scripts that put no spaces between words (and Korean, which glues endings to them) are cut to pairs of
// characters, each overlapping the next: a word of such a script is then a phrase of pairs.

/** Longer words are cut: nobody types more, and every word is a key of the index. */
const MAX_WORD_LENGTH = 40

const ASCII = /^[\x00-\x7f]*$/
const ASCII_WORD = /[a-z0-9]+/g
const WORD = /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu
/** Accents, harakat and niqqud; not the marks that make another letter of one, as in が. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0670]/g
const DENSE_SCRIPTS =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\u30fc'
const SAME_DENSITY = new RegExp(`[${DENSE_SCRIPTS}]+|[^${DENSE_SCRIPTS}]+`, 'gu')
const DENSE = new RegExp(`[${DENSE_SCRIPTS}]`, 'u')
const HAN = /\p{Script=Han}/gu

/** Lower case, without accents, in one spelling. */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  if (ASCII.test(lower)) return lower
  return lower.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase()
}

/** The runs of letters and digits of a folded text, each of one kind of script; emoji alone. */
export function runsOf(folded: string): string[] {
  if (ASCII.test(folded)) return (folded.match(ASCII_WORD) ?? []).map(shortened)
  const words = folded.match(WORD) ?? []
  return words
    .flatMap((word) => word.match(SAME_DENSITY) ?? [])
    .map((run) => {
      return isDense(run) ? run : shortened(run)
    })
}

/** Whether a run is cut to pairs. */
export function isDense(run: string): boolean {
  return DENSE.test(run)
}

/** A run's overlapping pairs of characters; a character that is alone stays so. */
export function pairsOf(run: string): string[] {
  const characters = [...run]
  if (characters.length < 2) return characters
  return characters.slice(1).map((character, i) => characters[i]! + character)
}

/** The words of a text, in order, as an index of words with their places keeps them. */
export function wordsOf(text: string): string[] {
  return runsOf(fold(text)).flatMap((run) => (isDense(run) ? pairsOf(run) : [withoutPlural(run)]))
}

/** The Chinese characters of a text, each once: what a single one is found by. */
export function charactersOf(text: string): string[] {
  return ASCII.test(text) ? [] : [...new Set(fold(text).match(HAN) ?? [])]
}

/** Cats are found by cat. The rules are Harman's (How effective is suffixing?, 1991). */
export function withoutPlural(word: string): string {
  if (word.length < 4 || !word.endsWith('s')) return word
  if (/[^ea]ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (/(?:us|ss|aes|ees|oes)$/.test(word)) return word
  return word.slice(0, -1)
}

/** Without what such characters it ends with: a pattern for the end of a text begins at every one. */
export function withoutEnding(text: string, character: RegExp): string {
  const characters = [...text]
  while (character.test(characters.at(-1) ?? '')) characters.pop()
  return characters.join('')
}

function shortened(word: string): string {
  if (word.length <= MAX_WORD_LENGTH) return word
  return [...word].slice(0, MAX_WORD_LENGTH).join('')
}
