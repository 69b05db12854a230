// Whether an answer shows nothing: all of its lists are empty, or a thread has only an anchor that is not found.

import type { MethodResult } from '../../server/method.ts'

const NOT_FOUND = 'app.bsky.unspecced.defs#threadItemNotFound'

type ThreadItem = { value?: { $type?: string } }

/** False for an answer without any list. */
export function showsNothing({ body }: MethodResult): boolean {
  const lists = Object.values(body ?? {}).filter((value) => Array.isArray(value))
  return lists.length > 0 && lists.every((items) => items.every(isNotFound))
}

function isNotFound(item: ThreadItem | null): boolean {
  return item?.value?.$type === NOT_FOUND
}
