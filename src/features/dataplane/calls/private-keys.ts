// Keys of bookmarks and subscriptions, whose rows have none. A key consists of the creation time as a TID, by
// which other readers of the operation stream order theirs, and the name used here. It replaces any key that
// a frontend makes up.

import { isValidTid } from '@atproto/syntax'
import { tidAt } from '../../../base/atproto/tid.ts'

/** @param name - posts.id of the bookmarked post, or the DID that the account subscribed to */
export function privateKey(createdAt: number, name: number | string): string {
  return `${tidAt(createdAt)}-${name}`
}

/** Returns the name within such a key; any other text is itself a name. */
export function nameInKey(key: string): string {
  const end = key.indexOf('-')
  return end !== -1 && isValidTid(key.slice(0, end)) ? key.slice(end + 1) : key
}
