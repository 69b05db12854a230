const WORDS_A_MINUTE = 200
const WORD = /\S+/g

/** As the reference estimates it; undefined for a text without words. */
export function readingMinutes(text: string): number | undefined {
  const words = text.match(WORD)?.length ?? 0
  return words === 0 ? undefined : Math.ceil(words / WORDS_A_MINUTE)
}
