import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { packRkey } from '../../../base/atproto/keys.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { ListReader } from '../../../data/store/read/lists/lists.ts'
import type { EmbeddedRecord } from '../types.ts'

const POST = 'app.bsky.feed.post'
const LIST = 'app.bsky.graph.list'

/**
 * Resolves the embedded record. `quote` is the row's own pointer to an embedded post. An at-URI
 * that names no record of a DID (for example one with a handle) resolves to nothing and shows as
 * not found.
 */
export function embeddedRecord(
  record: object,
  quote: number | null,
  { actors, lists }: { actors: ActorReader; lists: ListReader },
): EmbeddedRecord | undefined {
  const uri = embeddedUri(record)
  if (uri === undefined) return undefined
  const { did, collection, rkey } = parseRecordUri(uri) ?? { did: '', collection: '', rkey: '' }
  const uid = did === '' ? 0 : actors.uidOf(did)
  const embedded = { uri, did, collection, uid, id: undefined }
  if (collection === POST) return { ...embedded, id: quote ?? undefined }
  if (collection === LIST && uid !== 0) {
    return { ...embedded, id: lists.idOf(uid, packRkey(rkey)) || undefined }
  }
  return embedded
}

/** Returns the at-URI that the post record's embed points at, if any. */
function embeddedUri(record: object): string | undefined {
  const embed = property(record, 'embed')
  const type = property(embed, '$type')
  let holder = property(embed, 'record')
  if (type === 'app.bsky.embed.recordWithMedia') holder = property(holder, 'record')
  else if (type !== 'app.bsky.embed.record') return undefined
  const uri = property(holder, 'uri')
  return typeof uri === 'string' ? uri : undefined
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Record<string, unknown>)[name]
}
