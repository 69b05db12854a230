// Finds the known word that was probably meant, for the hint of a refusal; none if no word is similar, since
// a far-fetched guess misleads. Words are similar, in this order, if few letters are wrong, swapped, missing
// or extra (at most a third); if they share parts, some missing or added (DATA_FOLDER for DATA_DIR, THREADS
// for SERVE_THREADS); or if one begins with the other (HOST for HOSTNAME).

const PARTS = /[_\s-]+/
/** Largest share of a word's letters that may be wrong. */
const MAX_WRONG = 1 / 3
/** Smallest share of the parts of both words that must be common. */
const MIN_COMMON = 1 / 3
const LEAST_BEGINNING = 4
/** Parts with little meaning, ignored if there are others. */
const UNITS = new Set(['URL', 'HOST', 'MB', 'GB', 'DAY', 'HOUR'])

/** @param prefix - the common prefix of all words, in capitals; may be misspelt in `word`. */
export function nearest(word: string, words: readonly string[], prefix = ''): string | undefined {
  const bare = isNearlyPrefixed(word, prefix) ? word.slice(word.indexOf('_') + 1) : word
  const ranked = words
    .map((known) => ({
      known,
      distance: distanceOf(bare.toUpperCase(), known.slice(prefix.length)),
    }))
    .sort((a, b) => a.distance - b.distance)
  return ranked[0] && ranked[0].distance < 1 ? ranked[0].known : undefined
}

/**
 * Whether the word begins with the prefix (a word and an underscore), ignoring case and allowing
 * two typos.
 */
export function isNearlyPrefixed(word: string, prefix: string): boolean {
  const head = word.slice(0, word.indexOf('_') + 1).toUpperCase()
  if (head === prefix) return true
  return Math.abs(head.length - prefix.length) <= 2 && editDistance(head, prefix) <= 2
}

/** From 0 (equal) to 1 (nothing in common). */
function distanceOf(written: string, known: string): number {
  const [a, b] = [written.replaceAll('_', ''), known.replaceAll('_', '')]
  const longer = Math.max(a.length, b.length, 1)
  const wrong = editDistance(a, b)
  if (wrong <= 1 || wrong / longer <= MAX_WRONG) return wrong / longer
  const common = commonParts(written, known)
  if (common >= MIN_COMMON) return 1 - common * 0.8
  const shorter = Math.min(a.length, b.length)
  const begins = shorter >= LEAST_BEGINNING && (a.startsWith(b) || b.startsWith(a))
  return begins ? 0.8 - (0.2 * shorter) / longer : 1
}

/** The share of all parts that are in both words, ignoring plurals. */
function commonParts(a: string, b: string): number {
  const [ours, theirs] = [partsOf(a), partsOf(b)]
  const common = [...ours].filter((part) => theirs.has(part)).length
  return common / (ours.size + theirs.size - common || 1)
}

function partsOf(word: string): Set<string> {
  const parts = word.split(PARTS).map((part) => part.replace(/S$/, ''))
  const telling = parts.filter((part) => part !== '' && !UNITS.has(part))
  return new Set(telling.length > 0 ? telling : parts)
}

/** Damerau-Levenshtein distance, with swaps of adjacent letters only, computed by rows. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, i) => i)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const above = rows[i - 1]!
      const substitution = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row[j] = Math.min(substitution, above[j]! + 1, row[j - 1]! + 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwapped) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
