// The list that a request names by at-URI, as our own index has it.

import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import type { Needs } from './define.ts'

const LIST = 'app.bsky.graph.list'

/** `id` is 0 where nobody ever pointed at it. */
type NamedList = { id: number; did: string; uri: string }

/** @returns undefined for what names no list, or names its creator by handle. */
export function listByUri({ listPages }: Needs<'listPages'>, uri: string): NamedList | undefined {
  const key = parseRecordUri(uri)
  if (key?.collection !== LIST) return undefined
  return { id: listPages.idOf(key.did, key.rkey), did: key.did, uri }
}
