// Building blocks of the checks for plain records: patterns that each match a subset of what @atproto/lexicon
// accepts for the format, and objects with the usual fields only.

import type { JsonObject } from '../../../base/util/json-object.ts'

/** False means "not plain", not "invalid". */
export type Check = (value: unknown) => boolean

/** Fields that must and may be present. */
export type Shape = { required: Record<string, Check>; optional?: Record<string, Check> }

const DATETIME =
  /^(19[7-9]\d|20\d\d)-(?:(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?Z$/
// The last character has bits beyond the digest's length, which a decoder checks.
const CID = /^bafyrei[a-h][a-z2-7]{50}[aeimquy4]$/
const BLOB_CID = /^bafkrei[a-h][a-z2-7]{50}[aeimquy4]$/
const PLC_DID = /^did:plc:[a-z2-7]{24}$/
const RECORD_URI =
  /^at:\/\/did:plc:[a-z2-7]{24}\/app\.bsky\.(feed\.(post|repost|like|generator)|graph\.list)\/[a-z2-7]{13}$/
const WEB_URI = /^https:\/\/[a-zA-Z0-9][!-~]{0,999}$/

export function matches(pattern: RegExp): Check {
  return (value) => typeof value === 'string' && pattern.test(value)
}

export const isDatetime = matches(DATETIME)
export const isDid = matches(PLC_DID)
export const isRecordUri = matches(RECORD_URI)
export const isWebUri = matches(WEB_URI)

/**
 * A text with no more UTF-16 units than graphemes are allowed never has too many graphemes or
 * bytes.
 */
export function isText(maxLength: number): Check {
  return (value) => typeof value === 'string' && value.length <= maxLength
}

export function isWhole(minimum: number): Check {
  return (value) => Number.isSafeInteger(value) && (value as number) >= minimum
}

export function is(constant: string): Check {
  return (value) => value === constant
}

export function isListOf(check: Check, maxLength: number): Check {
  return (value) => Array.isArray(value) && value.length <= maxLength && value.every(check)
}

/** Accepts an object with these fields and no others; `optional` ones may be undefined. */
export function hasShape({ required, optional = {} }: Shape): Check {
  const musts = Object.entries(required)
  const mays = Object.entries(optional)
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const object = value as JsonObject
    let expected = musts.length
    for (const [name, check] of musts) if (!check(object[name])) return false
    for (const [name, check] of mays) {
      if (object[name] === undefined) continue
      if (!check(object[name])) return false
      expected++
    }
    for (const _ in object) expected--
    return expected === 0
  }
}

export const isStrongRef = hasShape({ required: { uri: isRecordUri, cid: matches(CID) } })

/** @param maxSize - in bytes */
export function isBlob(mimeType: RegExp, maxSize: number): Check {
  return hasShape({
    required: {
      $type: is('blob'),
      ref: hasShape({ required: { $link: matches(BLOB_CID) } }),
      mimeType: matches(mimeType),
      size: (value) => isWhole(0)(value) && (value as number) <= maxSize,
    },
  })
}

export const PICTURE = /^image\/.{1,90}$/
export const PHOTO = /^image\/(?:png|jpeg)$/
