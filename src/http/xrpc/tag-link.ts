/** Where clients show what was posted under a hashtag: a path of theirs. */
export function tagLink(tag: string): string {
  return `/hashtag/${encodeURIComponent(tag)}`
}
