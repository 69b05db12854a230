// Finds the likes in what the stream brings: in bytes that nobody parsed, since they concern no known account, and
// in events. Nothing of strangers is stored but what the engine keeps.

import type { StreamItem, UnreadCommit } from '@slipstream/jetstream'
import { packRkey } from '../../base/atproto/keys.ts'
import { packPlcBytes } from '../../data/graph/did-words.ts'
import type { Like } from './engine/hear.ts'
import { didWords, keyOfUri } from './post-keys.ts'

const LIKE = 'app.bsky.feed.like'
const BETWEEN = Buffer.from('/app.bsky.feed.post/')
const DID_LENGTH = 32
const TID_LENGTH = 13
const QUOTE = 0x22

type HeardLike = Omit<Like, 'isMembers' | 'timeMs'> & { timeUs: number }

/** Reused for each like that is read from bytes. */
const heard = {
  liker: new Int32Array(4),
  post: { did: new Int32Array(4), top: 0, bottom: 0 },
  timeUs: 0,
} satisfies HeardLike

/** The like of a post that an event is, if it is one. The next call overwrites it. */
export function likeIn(item: StreamItem): HeardLike | undefined {
  if (item.kind === 'unread') return inBytes(item)
  if (item.kind !== 'commit' || item.collection !== LIKE || item.operation !== 'create') {
    return undefined
  }
  const liker = didWords(item.did)
  const { subject } = item.record as { subject?: { uri?: unknown } }
  const post = typeof subject?.uri === 'string' ? keyOfUri(subject.uri) : undefined
  return liker && post && { liker, post, timeUs: item.timeUs }
}

function inBytes({ bytes, collection, operation, creatorAt, accountsAt, timeUs }: UnreadCommit) {
  if (collection !== LIKE || operation !== 'create') return undefined
  for (let i = 0; i < accountsAt.length; i++) {
    const at = accountsAt[i]!
    if (!isPostBehind(bytes, at + DID_LENGTH)) continue
    if (!readRkey(bytes, at + DID_LENGTH + BETWEEN.length)) return undefined
    packPlcBytes(bytes, creatorAt, heard.liker)
    packPlcBytes(bytes, at, heard.post.did)
    heard.timeUs = timeUs
    return heard
  }
  return undefined
}

function isPostBehind(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < BETWEEN.length; i++) if (bytes[at + i] !== BETWEEN[i]) return false
  return true
}

function readRkey(bytes: Uint8Array, at: number): boolean {
  if (bytes[at + TID_LENGTH] !== QUOTE) return false
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + at, TID_LENGTH).toString('latin1')
  const rkey = packRkey(text)
  if (typeof rkey === 'string') return false
  heard.post.top = rkey.readInt32BE(0)
  heard.post.bottom = rkey.readInt32BE(4)
  return heard.post.top !== 0
}
