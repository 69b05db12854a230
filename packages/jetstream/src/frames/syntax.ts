// Cheap checks of what a frame holds: JSON objects, times, and the identifiers in every event, as strict as their
// specifications where that costs nothing: https://atproto.com/specs/did, record-key, nsid, tid, data-model.

const DID = /^did:[a-z]+:[a-zA-Z0-9._:%-]*[a-zA-Z0-9._-]$/
const NSID = /^[a-zA-Z](?:[a-zA-Z0-9-]{0,62})?(?:\.[a-zA-Z0-9-]{1,63})+\.[a-zA-Z][a-zA-Z0-9]{0,62}$/
const RKEY = /^[a-zA-Z0-9_~.:-]{1,512}$/
const TID = /^[2-7a-j][2-7a-z]{12}$/
// Prefix and padding are those of 36 bytes that start with 01 71 12 20, as packCid accepts.
const RECORD_CID = /^bafyrei[a-h][a-z2-7]{50}[aeimquy4]$/

export function isDid(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 2048 && DID.test(value)
}

export function isNsid(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 317 && NSID.test(value)
}

export function isRkey(value: unknown): value is string {
  return typeof value === 'string' && RKEY.test(value) && value !== '.' && value !== '..'
}

export function isTid(value: unknown): value is string {
  return typeof value === 'string' && TID.test(value)
}

/** CIDv1, dag-cbor, sha-256, in base32. */
export function isRecordCid(value: unknown): value is string {
  return typeof value === 'string' && RECORD_CID.test(value)
}

export function isPositive(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}

// Converts RFC 3339 times to microseconds. The v2 wire always writes UTC with six digits, so the date and
// minute, which hardly change from frame to frame, are parsed once and cached.

const MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/
const GENERAL = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/
const ZERO = 48
const WIRE_LENGTH = '2006-01-02T15:04:05.000000Z'.length

let knownMinute = ''
let knownMinuteUs = 0

/** @returns undefined if `time` is not an RFC 3339 time after 1970. */
export function parseTimeUs(time: unknown): number | undefined {
  if (typeof time !== 'string') return undefined
  if (time.length !== WIRE_LENGTH || !time.endsWith('Z')) return parseGeneral(time)
  if (!time.startsWith(knownMinute) || knownMinute === '') {
    const minute = time.slice(0, 16)
    const minuteUs = MINUTE.test(minute) ? Date.parse(`${minute}:00Z`) * 1000 : Number.NaN
    if (!(minuteUs >= 0)) return undefined
    knownMinute = minute
    knownMinuteUs = minuteUs
  }
  if (time[16] !== ':' || time[19] !== '.') return undefined
  const seconds = digits(time, 17, 19)
  const micros = digits(time, 20, 26)
  // In this form the NaN of a wrong digit fails too.
  if (!(seconds <= 60 && micros <= 999_999)) return undefined
  return knownMinuteUs + seconds * 1_000_000 + micros
}

/** @returns NaN if there is anything but digits. */
function digits(text: string, from: number, to: number): number {
  let value = 0
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - ZERO
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

function parseGeneral(time: string): number | undefined {
  if (time.length > 40) return undefined
  const match = GENERAL.exec(time)
  if (!match) return undefined
  const ms = Date.parse(match[1]! + match[3]!)
  const micros = Number((match[2] ?? '').padEnd(6, '0').slice(0, 6))
  return ms >= 0 ? ms * 1000 + micros : undefined
}

// JSON of unchecked shape, and its objects and lists.

/** A JSON object of unknown shape: a record not yet validated against its lexicon. */
export type JsonObject = { [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined
}

/** @returns undefined if the text is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
