// Reads a post's data about its video from the post's row when a player asks. The playlist's URL names the
// post, which must belong to the video's owner and embed that very video.

import { isValidLanguage } from '@atproto/syntax'
import { blobCid } from '../../../answers/views/fields.ts'
import { packRkey } from '../../../base/atproto/keys.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { Db } from '../../../data/store/db.ts'
import { findPostHandle, postRecord } from '../../../data/store/posts/posts.ts'
import { type BlobName, isBlobCid } from '../media-path.ts'
import type { CaptionBlob, VideoPosts } from './captions.ts'

const VIDEO = 'app.bsky.embed.video'
const WITH_MEDIA = 'app.bsky.embed.recordWithMedia'
const RKEY = /^[A-Za-z0-9._:~-]{1,512}$/
/** The lexicon's limit. */
const MAX_CAPTIONS = 20
const MAX_LANGUAGE = 35

type Embed = { $type?: unknown; media?: unknown; video?: unknown; captions?: unknown }

export function createVideoPosts({
  db,
  actors,
}: {
  db: Db
  actors: Pick<ActorReader, 'uidOf'>
}): VideoPosts {
  function embedOf({ did, cid }: BlobName, rkey: string): Embed | undefined {
    const uid = actors.uidOf(did)
    if (uid === 0 || !RKEY.test(rkey)) return undefined
    const post = findPostHandle(db, uid, packRkey(rkey))
    const record = post && postRecord(db, post.id)
    const video = record === undefined ? undefined : videoOf(record)
    return video && blobCid(video.video) === cid ? video : undefined
  }

  return {
    captionsOf(name, rkey) {
      const video = embedOf(name, rkey)
      return video ? captionsIn(video.captions) : []
    },
    shows: (name, rkey) => embedOf(name, rkey) !== undefined,
  }
}

/** Returns the video and its captions; empty if the post shows none. */
export function blobsPresentedIn(record: string): { cid: string; kind: 'video' | 'captions' }[] {
  const embed = videoOf(record)
  const cid = blobCid(embed?.video)
  if (!embed || !cid || !isBlobCid(cid)) return []
  const captions = captionsIn(embed.captions).map((captionBlob) => {
    return { cid: captionBlob.cid, kind: 'captions' as const }
  })
  return [{ cid, kind: 'video' }, ...captions]
}

function videoOf(record: string): Embed | undefined {
  const { embed } = JSON.parse(record) as { embed?: Embed }
  const media = (embed?.$type === WITH_MEDIA ? embed.media : embed) as Embed | undefined
  return media?.$type === VIDEO ? media : undefined
}

/** One per language, since players list captions by language. */
function captionsIn(captions: unknown): CaptionBlob[] {
  const found = new Map<string, CaptionBlob>()
  const list: unknown[] = Array.isArray(captions) ? captions.slice(0, MAX_CAPTIONS) : []
  for (const item of list) {
    const { lang, file } = (item ?? {}) as { lang?: unknown; file?: unknown }
    const cid = blobCid(file)
    if (typeof lang !== 'string' || lang.length > MAX_LANGUAGE || !isValidLanguage(lang)) continue
    const language = lang.toLowerCase()
    if (cid && isBlobCid(cid) && !found.has(language)) found.set(language, { language, cid })
  }
  return [...found.values()]
}
