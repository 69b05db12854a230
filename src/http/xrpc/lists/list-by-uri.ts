import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import type { Needs } from '../define.ts'

const LIST = 'app.bsky.graph.list'

/** `id` is 0 if no record has ever referred to the list. */
type NamedList = { id: number; did: string; uri: string }

/** @returns undefined if the URI names no list, or no account */
export function listByUri({ listPages }: Needs<'listPages'>, uri: string): NamedList | undefined {
  const key = parseRecordUri(uri)
  if (key?.collection !== LIST) return undefined
  return { id: listPages.idOf(key.did, key.rkey), did: key.did, uri }
}
