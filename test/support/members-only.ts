// An intended difference from the reference: visitors see no posts of members-only accounts, neither in feeds
// nor in threads (src/answers/views/members-only.ts).

/** Whether the reference's answer for this viewer contains content that ours withholds. */
export function isMoreThanOurs(theirs: unknown, viewer: string | undefined): boolean {
  if (viewer !== undefined) return false
  return (JSON.stringify(theirs) ?? '').includes('"val":"!no-unauthenticated"')
}
