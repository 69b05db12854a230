/** Client path that shows the posts under a hashtag. */
export function tagLink(tag: string): string {
  return `/hashtag/${encodeURIComponent(tag)}`
}
