// Derives row fields from a post's embed: the quoted post, and whether it shows media.

import { asObject, type JsonObject } from '../../../base/util/json-object.ts'
import { HAS_MEDIA, HAS_VIDEO } from '../../../data/store/posts/post-flags.ts'
import { parsePostUri, type RecordRef } from './record-keys.ts'

const EMBED = 'app.bsky.embed'

/** The embed's parts: a record with media has two. */
function parts(record: JsonObject): (JsonObject | undefined)[] {
  const embed = asObject(record['embed'])
  if (embed?.['$type'] !== `${EMBED}.recordWithMedia`) return [embed]
  // Inside a recordWithMedia the record part may have no type.
  const inner = asObject(embed['record'])
  return [inner && { ...inner, $type: `${EMBED}.record` }, asObject(embed['media'])]
}

/** The quoted post, if the embedded record is one. */
export function quotedPost(record: JsonObject): RecordRef | undefined {
  for (const part of parts(record)) {
    if (part?.['$type'] === `${EMBED}.record`) {
      return parsePostUri(asObject(part['record'])?.['uri'])
    }
  }
  return undefined
}

export function mediaFlags(record: JsonObject): number {
  let flags = 0
  for (const part of parts(record)) {
    const type = part?.['$type']
    if (type === `${EMBED}.video`) flags |= HAS_MEDIA | HAS_VIDEO
    if (type === `${EMBED}.images` || type === `${EMBED}.gallery`) flags |= HAS_MEDIA
  }
  return flags
}
