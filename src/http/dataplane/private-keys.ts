// Keys of bookmarks and subscriptions, which our rows have none of: when it was made, as a TID, by which others that follow the
// stream of operations order theirs, and the name that it has here. Whatever key a frontend makes up is replaced by it.

import { isValidTid } from '@atproto/syntax'
import { tidAt } from '../../base/atproto/tid.ts'

/** @param name - posts.id of what is bookmarked, or the DID of whom somebody subscribed to */
export function privateKey(createdAt: number, name: number | string): string {
  return `${tidAt(createdAt)}-${name}`
}

/** As it is said in such a key; what is none is a name itself. */
export function nameInKey(key: string): string {
  const end = key.indexOf('-')
  return end !== -1 && isValidTid(key.slice(0, end)) ? key.slice(end + 1) : key
}
