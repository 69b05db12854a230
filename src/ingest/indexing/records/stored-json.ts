// The JSON stored beside the row of a like, repost, follow, block or list item. An honest one has some
// hundred bytes, but a stranger chooses its length, and may send one for each post of a member.

import { isoTime } from '../../../base/util/iso-time.ts'
import { asObject } from '../../../base/util/json-object.ts'
import { type RecordWrite, recordJson, sortAtOf } from '../index-context.ts'

const MAX_BYTES = 2_048
/** Longest CID as text; longer ones are invalid. */
const MAX_CID = 128

/** @returns undefined if it is too long */
export function shortJson(write: RecordWrite): Buffer | undefined {
  const json = recordJson(write)
  return json.length <= MAX_BYTES ? json : undefined
}

/** The record as written; if it is too long, only the fields that its lexicon requires. */
export function briefJson(write: RecordWrite): Buffer {
  const { collection: $type, record } = write
  const createdAt = isoTime(sortAtOf(write))
  const brief = { $type, subject: briefSubject(record['subject']), createdAt }
  return shortJson(write) ?? Buffer.from(JSON.stringify(brief))
}

/** The subject's URI or DID has been parsed before. */
function briefSubject(subject: unknown): unknown {
  const ref = asObject(subject)
  if (!ref) return subject
  const { uri, cid } = ref
  return { uri, cid: typeof cid === 'string' ? cid.slice(0, MAX_CID) : '' }
}
