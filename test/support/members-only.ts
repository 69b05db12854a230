// Where ours differs from the reference on purpose: visitors are shown no posts of accounts that are
// for members only, in feeds as little as in threads (src/answers/views/members-only.ts).

/** Whether the reference's answer for this viewer holds what ours withholds. */
export function isMoreThanOurs(theirs: unknown, viewer: string | undefined): boolean {
  if (viewer !== undefined) return false
  return (JSON.stringify(theirs) ?? '').includes('"val":"!no-unauthenticated"')
}
