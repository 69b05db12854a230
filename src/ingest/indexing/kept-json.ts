// What is kept of a like, repost, follow, block or item of a list beside its row, as JSON. An honest one has some hundred
// bytes, but a stranger chooses how long it is, and may send one for each post of a member.

import { asObject } from '../../base/util/json-object.ts'
import { type RecordWrite, recordJson, sortAtOf } from './index-context.ts'

const MAX_BYTES = 2_048
/** Of a CID as text; longer ones are none. */
const MAX_CID = 128

/** @returns undefined where it is too long */
export function shortJson(write: RecordWrite): Buffer | undefined {
  const json = recordJson(write)
  return json.length <= MAX_BYTES ? json : undefined
}

/** As it was written; where that is too long, what its lexicon demands. */
export function toldJson(write: RecordWrite): Buffer {
  const { collection: $type, record } = write
  const createdAt = new Date(sortAtOf(write)).toISOString()
  const told = { $type, subject: briefSubject(record['subject']), createdAt }
  return shortJson(write) ?? Buffer.from(JSON.stringify(told))
}

/** The URI, or the DID, is one that was read already. */
function briefSubject(subject: unknown): unknown {
  const ref = asObject(subject)
  if (!ref) return subject
  const { uri, cid } = ref
  return { uri, cid: typeof cid === 'string' ? cid.slice(0, MAX_CID) : '' }
}
