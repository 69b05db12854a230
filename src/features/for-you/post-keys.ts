// At-URIs of posts as the engine names them. Only posts of a did:plc with a TID as key are taken, which nearly
// all are.

import { recordUri } from '../../base/atproto/at-uri.ts'
import { packRkey, tidOf } from '../../base/atproto/keys.ts'
import { packDid, unpackDid } from '../../data/graph/did-words.ts'
import { hashOfPost, type PostKey } from './engine/posts.ts'

const COLLECTION = 'app.bsky.feed.post'
const POST_URI = /^at:\/\/(did:plc:[a-z2-7]{24})\/app\.bsky\.feed\.post\/([2-7a-z]{13})$/
const NO_HEAP = new Int32Array(0)

/** The four words of a did:plc; undefined for others. */
export function didWords(did: string): Int32Array | undefined {
  const words = new Int32Array(4)
  return packDid(did, words).isPlc ? words : undefined
}

export function keyOfUri(uri: string): PostKey | undefined {
  const match = POST_URI.exec(uri)
  return match ? keyOf(match[1]!, packRkey(match[2]!)) : undefined
}

/** @param rkey - packed (base/atproto/keys.ts) */
export function keyOf(author: string, rkey: Buffer | string): PostKey | undefined {
  const did = didWords(author)
  if (!did || typeof rkey === 'string') return undefined
  const top = rkey.readInt32BE(0)
  return top === 0 ? undefined : { did, top, bottom: rkey.readInt32BE(4) }
}

export function uriOf({ did, top, bottom }: PostKey): string {
  return recordUri(unpackDid(did, 0, NO_HEAP), COLLECTION, tidOf(top >>> 0, bottom >>> 0))
}

/** By which what was seen is remembered; undefined if the engine can't name the post. */
export function hashOfUri(uri: string): number | undefined {
  const key = keyOfUri(uri)
  return key && hashOfPost(key)
}
