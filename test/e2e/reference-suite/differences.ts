// What answers have on purpose that the reference's have not (METHODS.md): taken out, so that the tests' snapshots compare
// the rest.

const JSON_TYPE = /^application\/json\b/
/** There, the tests ask for them, and the reference has them. */
const WITH_KNOWN_LIKERS = /\/app\.bsky\.unspecced\.getPostThread/

export function withoutDifferences(
  text: string,
  { type, path }: { type: string | undefined; path: string },
): string {
  if (!JSON_TYPE.test(type ?? '') || WITH_KNOWN_LIKERS.test(path)) return text
  if (!text.includes('"knownLikers"')) return text
  return JSON.stringify(
    JSON.parse(text, (name, value) => (name === 'knownLikers' ? undefined : value)),
  )
}
