// The known word that looks most like what was written, for the hint of a refusal.

export function nearest(word: string, words: string[]): string {
  const ranked = words.map((known) => ({ known, distance: editDistance(word, known) }))
  ranked.sort((a, b) => a.distance - b.distance)
  return ranked[0]?.known ?? ''
}

/** Levenshtein distance, by the two-row method. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      current[j] = Math.min(substitution, previous[j]! + 1, current[j - 1]! + 1)
    }
    previous = current
  }
  return previous[b.length]!
}
