// A label from a labeler, over a stream or in an answer: parsed strictly, since it is foreign data. Source:
// lexicon com.atproto.label.defs#label, https://atproto.com/specs/label.

import { isValidDatetime, isValidDid } from '@atproto/syntax'

export type Label = {
  src: string
  /** A DID or an at-URI. */
  uri: string
  cid: string | undefined
  val: string
  neg: boolean
  cts: string
  exp: string | undefined
}

/** `unsigned`: exactly what the signature covers. */
export type SignedLabel = { label: Label; unsigned: object; sig: Uint8Array }

/**
 * The fields of the lexicon that a signature covers. Servers add further ones to their answers, such
 * as the number of a row, and write null for those that a label does not have.
 */
const SIGNED_FIELDS = ['ver', 'src', 'uri', 'cid', 'val', 'neg', 'cts', 'exp']
const MAX_URI_LENGTH = 8192
const MAX_CID_LENGTH = 256
/** From the lexicon. */
const MAX_VALUE_BYTES = 128

/** @returns undefined if it is not a label by `src`, or is unsigned. */
function readLabel(value: unknown, src: string): SignedLabel | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { sig, ...fields } = value as Record<string, unknown>
  const unsigned = signedFields(fields)
  const { ver = 1, uri, cid, val, neg = false, cts, exp } = unsigned
  if (!(sig instanceof Uint8Array) || ver !== 1 || unsigned['src'] !== src) return undefined
  if (!isSubject(uri) || !isValue(val) || typeof neg !== 'boolean') return undefined
  if (!isTime(cts) || !(exp === undefined || isTime(exp))) return undefined
  if (cid !== undefined && !(typeof cid === 'string' && cid.length <= MAX_CID_LENGTH)) {
    return undefined
  }
  return { label: { src, uri, cid, val, neg, cts, exp }, unsigned, sig }
}

function signedFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([field, value]) => SIGNED_FIELDS.includes(field) && value !== null,
    ),
  )
}

/** Returns the labels by `src`, and reports each of the others. */
export function readLabels(
  values: readonly unknown[],
  src: string,
  onDropped?: (reason: 'unreadable') => void,
): SignedLabel[] {
  return values.flatMap((value) => {
    const label = readLabel(value, src)
    if (!label) onDropped?.('unreadable')
    return label ?? []
  })
}

function isSubject(uri: unknown): uri is string {
  if (typeof uri !== 'string' || uri.length > MAX_URI_LENGTH) return false
  return uri.startsWith('at://did:') || isValidDid(uri)
}

function isValue(val: unknown): val is string {
  return typeof val === 'string' && val !== '' && Buffer.byteLength(val) <= MAX_VALUE_BYTES
}

function isTime(text: unknown): text is string {
  return typeof text === 'string' && isValidDatetime(text) && !Number.isNaN(Date.parse(text))
}
