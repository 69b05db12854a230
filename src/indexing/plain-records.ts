// Recognises the plain shapes of frequent records: nothing but the usual fields, each in its usual
// form. Every pattern here is a subset of what @atproto/lexicon accepts for the format.

import type { JsonObject } from '../jetstream/event.ts'
import type { Collection } from '../store/collections.ts'

const DATETIME =
  /^(19[7-9]\d|20\d\d)-(?:(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?Z$/
// The digits that the digest's length leaves free are the ones a decoder checks.
const CID = /^bafyrei[a-h][a-z2-7]{50}[aeimquy4]$/
const PLC_DID = /^did:plc:[a-z2-7]{24}$/
const RECORD_URI =
  /^at:\/\/did:plc:[a-z2-7]{24}\/app\.bsky\.(feed\.(post|repost|like|generator)|graph\.list)\/[a-z2-7]{13}$/
const LANGUAGE = /^[a-z]{2}$/
const MAX_PLAIN_TEXT = 300
const MAX_LANGUAGES = 3

type Check = (value: unknown) => boolean
type Shape = { required: Record<string, Check>; optional: Record<string, Check> }

const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value)

const isDatetime = matches(DATETIME)
const isDid = matches(PLC_DID)
const isRecordUri = matches(RECORD_URI)
const isCid = matches(CID)

const isStrongRef: Check = (value) => {
  const ref = plainObject(value)
  return ref !== undefined && isRecordUri(ref['uri']) && isCid(ref['cid']) && hasKeys(ref, 2)
}

const isReplyRef: Check = (value) => {
  const reply = plainObject(value)
  if (!reply || !hasKeys(reply, 2)) return false
  return isStrongRef(reply['root']) && isStrongRef(reply['parent'])
}

// As many UTF-16 units as graphemes are allowed are never too many graphemes or bytes.
const isShortText: Check = (value) => typeof value === 'string' && value.length <= MAX_PLAIN_TEXT

const isLanguages: Check = (value) =>
  Array.isArray(value) && value.length <= MAX_LANGUAGES && value.every(matches(LANGUAGE))

const reaction: Shape = {
  required: { subject: isStrongRef, createdAt: isDatetime },
  optional: { via: isStrongRef },
}

const relation: Shape = { required: { subject: isDid, createdAt: isDatetime }, optional: {} }

const shapes: Partial<Record<Collection, Shape>> = {
  'app.bsky.feed.like': reaction,
  'app.bsky.feed.repost': reaction,
  'app.bsky.graph.follow': relation,
  'app.bsky.graph.block': relation,
  'app.bsky.graph.listitem': {
    required: { subject: isDid, list: isRecordUri, createdAt: isDatetime },
    optional: {},
  },
  'app.bsky.feed.post': {
    required: { text: isShortText, createdAt: isDatetime },
    optional: { reply: isReplyRef, langs: isLanguages },
  },
}

/** False means "not plain", not "invalid". */
export function isPlainRecord(collection: Collection, record: JsonObject): boolean {
  const shape = shapes[collection]
  if (!shape || record['$type'] !== collection) return false
  let expected = 1
  for (const name in shape.required) {
    if (!shape.required[name]!(record[name])) return false
    expected++
  }
  for (const name in shape.optional) {
    if (record[name] === undefined) continue
    if (!shape.optional[name]!(record[name])) return false
    expected++
  }
  return hasKeys(record, expected)
}

function plainObject(value: unknown): JsonObject | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as JsonObject) : undefined
}

/** Whether there is nothing but what was looked at. */
function hasKeys(object: JsonObject, expected: number): boolean {
  let count = 0
  for (const _ in object) count++
  return count === expected
}
