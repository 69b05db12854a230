// The records that a post's link card says it is made from (`associatedRefs` of app.bsky.embed.external), as far as
// their collections are indexed.

import { asObject, type JsonObject } from '../util/json-object.ts'
import { parseRecordUri } from './at-uri.ts'
import { type AssociatedCollection, associatedCollections } from './collections.ts'

/** A record in one version. */
export type AssociatedRef = {
  uri: string
  cid: string
  did: string
  collection: AssociatedCollection
  rkey: string
}

/** An article and its publication are two; app.bsky.embed.getEmbedExternalView takes no more than this. */
const MAX_REFS = 4

const EMBED = 'app.bsky.embed'
const NONE: readonly AssociatedRef[] = []

/** @param post - a post's record, valid by its lexicon */
export function associatedRefsIn(post: { embed?: unknown }): readonly AssociatedRef[] {
  const embed = asObject(post.embed)
  const card = embed?.['$type'] === `${EMBED}.recordWithMedia` ? asObject(embed['media']) : embed
  if (card?.['$type'] !== `${EMBED}.external`) return NONE
  return toAssociatedRefs(asObject(card['external'])?.['associatedRefs'])
}

export function toAssociatedRefs(refs: unknown): readonly AssociatedRef[] {
  if (!Array.isArray(refs) || refs.length === 0) return NONE
  return refs.flatMap(toRef).slice(0, MAX_REFS)
}

function toRef(ref: JsonObject): AssociatedRef[] {
  const { uri, cid } = asObject(ref) ?? {}
  const key = parseRecordUri(uri)
  const collection = associatedCollections.find((name) => name === key?.collection)
  if (!key || !collection || typeof cid !== 'string') return []
  return [{ uri: uri as string, cid, did: key.did, collection, rkey: key.rkey }]
}
