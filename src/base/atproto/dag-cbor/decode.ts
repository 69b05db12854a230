// Decodes DAG-CBOR of segments straight to the JSON of the live wires: `$link` for links, `$bytes` for bytes.
// As strict as the server that feeds the live wire: shortest heads, sorted keys, no floats, no other tags.
// Never allocates for a length that exceeds the input. Spec: https://atproto.com/specs/data-model.

import { isUtf8 } from 'node:buffer'
import type { JsonObject } from '../../util/json-object.ts'
import { CID_BYTES, cidAt } from '../keys.ts'

type DropReason = 'bad-record' | 'bad-text' | 'forbidden-key' | 'too-deep'

/** With its envelope on the live wire, a record may nest as deep as frames may. */
const MAX_DEPTH = 97
const REPLACEMENT = '\ufffd'
const CID_TAG = 42
const MAX_INTEGER = 2 ** 63
const MAX_KNOWN_KEY = 24
const KNOWN_KEYS = 1024

const UNSIGNED = 0
const NEGATIVE = 1
const BYTES = 2
const TEXT = 3
const ARRAY = 4
const MAP = 5
const TAG = 6

class BadValue extends Error {
  readonly reason: DropReason
  constructor(reason: DropReason) {
    super(reason)
    this.reason = reason
  }
}

let bytes: Buffer = Buffer.alloc(0)
let at = 0
let end = 0
/** Bytes stay bytes, and a CID is its 36 bytes as latin1 text: nothing is spelt that may not be needed. */
let isRaw = false
/** Keys read before, by a hash of their bytes: the same few hundred recur all the time. */
const knownKeys: (string | undefined)[] = new Array(KNOWN_KEYS).fill(undefined)

/**
 * Decodes the object that fills `buffer` from `from` to `to`.
 * @returns the drop reason if it is not an object.
 */
export function decodeObject(buffer: Buffer, from: number, to: number): JsonObject | DropReason {
  const values = decodeObjects(buffer, { from, to, count: 1, raw: false })
  return typeof values === 'string' ? values : values[0]!
}

/**
 * Decodes so many objects, one behind the other. `raw`: bytes are Buffers that share `buffer`'s memory, and
 * links are the 36 bytes of the CID as latin1 text.
 * @returns the drop reason if they are not objects, or do not fill the buffer.
 */
export function decodeObjects(
  buffer: Buffer,
  range: { from: number; to: number; count: number; raw: boolean },
): JsonObject[] | DropReason {
  bytes = buffer
  at = range.from
  end = range.to
  isRaw = range.raw
  const values: JsonObject[] = []
  try {
    while (values.length < range.count) {
      if (at >= end || bytes[at]! >> 5 !== MAP) return 'bad-record'
      values.push(readValue(0) as JsonObject)
    }
    return at === end ? values : 'bad-record'
  } catch (error) {
    if (error instanceof BadValue) return error.reason
    throw error
  }
}

function readValue(depth: number): unknown {
  const first = bytes[take(1)]!
  const major = first >> 5
  const low = first & 31
  if (major === 7) return readSimple(low)
  const argument = readArgument(low)
  if (major === TEXT) return readText(argument)
  if (major === MAP) return readMap(argument, depth + 1)
  if (major === ARRAY) return readArray(argument, depth + 1)
  if (major === UNSIGNED) return integer(argument)
  if (major === NEGATIVE) return negative(argument)
  if (major === BYTES) return readBytes(argument)
  if (major === TAG && argument === CID_TAG) return readLink()
  return refuse()
}

function readMap(count: number, depth: number): JsonObject {
  if (depth > MAX_DEPTH) refuse('too-deep')
  const object: JsonObject = {}
  let lastAt = 0
  let lastLength = -1
  for (let i = 0; i < count; i++) {
    const head = bytes[take(1)]!
    if (head >> 5 !== TEXT) refuse()
    const length = readArgument(head & 31)
    const keyAt = take(length)
    if (!isAfter(keyAt, length, lastAt, lastLength)) refuse()
    lastAt = keyAt
    lastLength = length
    const key = keyText(keyAt, length)
    if (key === '__proto__') refuse('forbidden-key')
    object[key] = readValue(depth)
  }
  return object
}

/** Shorter keys first, then by bytes; no duplicates. */
function isAfter(keyAt: number, length: number, lastAt: number, lastLength: number): boolean {
  if (length !== lastLength) return length > lastLength
  for (let i = 0; i < length; i++) {
    const difference = bytes[keyAt + i]! - bytes[lastAt + i]!
    if (difference !== 0) return difference > 0
  }
  return false
}

function keyText(keyAt: number, length: number): string {
  if (length === 0 || length > MAX_KNOWN_KEY) return textAt(keyAt, length)
  let hash = length
  for (let i = 0; i < length; i++) hash = (hash * 31 + bytes[keyAt + i]!) & 0xffffff
  const slot = hash % KNOWN_KEYS
  const known = knownKeys[slot]
  if (known !== undefined && isSpelt(known, keyAt, length)) return known
  const key = textAt(keyAt, length)
  // Equal lengths mean plain ASCII: one byte for each character.
  if (key.length === length) knownKeys[slot] = key
  return key
}

function isSpelt(key: string, keyAt: number, length: number): boolean {
  if (key.length !== length) return false
  for (let i = 0; i < length; i++) if (key.charCodeAt(i) !== bytes[keyAt + i]) return false
  return true
}

function readArray(count: number, depth: number): unknown[] {
  if (depth > MAX_DEPTH) refuse('too-deep')
  if (count > end - at) refuse()
  const items: unknown[] = []
  for (let i = 0; i < count; i++) items.push(readValue(depth))
  return items
}

function readText(length: number): string {
  return textAt(take(length), length)
}

function textAt(from: number, length: number): string {
  const text = bytes.toString('utf8', from, from + length)
  const mayBeBroken = text.includes(REPLACEMENT)
  if (mayBeBroken && !isUtf8(bytes.subarray(from, from + length))) refuse('bad-text')
  return text
}

function readBytes(length: number): JsonObject | Buffer {
  const from = take(length)
  if (isRaw) return bytes.subarray(from, from + length)
  const base64 = bytes.toString('base64', from, from + length)
  return { $bytes: base64.replace(/={1,2}$/, '') }
}

/** Tag 42 around a byte string: a zero byte, then the binary CID. */
function readLink(): JsonObject | string {
  const head = bytes[take(1)]!
  if (head >> 5 !== BYTES || readArgument(head & 31) !== CID_BYTES + 1) refuse()
  const from = take(CID_BYTES + 1)
  if (isRaw && bytes[from] === 0) return bytes.toString('latin1', from + 1, from + 1 + CID_BYTES)
  const link = bytes[from] === 0 ? cidAt(bytes, from + 1) : undefined
  return link === undefined ? refuse() : { $link: link }
}

function readSimple(low: number): boolean | null {
  if (low === 20) return false
  if (low === 21) return true
  return low === 22 ? null : refuse()
}

/** The number in a head, which must have its shortest form. */
function readArgument(low: number): number {
  if (low < 24) return low
  if (low === 24) return shortest(bytes[take(1)]!, 24)
  if (low === 25) return shortest(bytes.readUInt16BE(take(2)), 0x100)
  if (low === 26) return shortest(bytes.readUInt32BE(take(4)), 0x10000)
  if (low !== 27) return refuse()
  const from = take(8)
  const high = bytes.readUInt32BE(from)
  return shortest(high * 2 ** 32 + bytes.readUInt32BE(from + 4), 2 ** 32)
}

function shortest(value: number, least: number): number {
  return value < least ? refuse() : value
}

/** As in JSON: beyond 2^53 the nearest number. */
function integer(value: number): number {
  return value >= MAX_INTEGER ? refuse() : value
}

function negative(argument: number): number {
  if (argument < Number.MAX_SAFE_INTEGER) return -1 - argument
  return argument >= MAX_INTEGER ? refuse() : Number(-1n - bytes.readBigUInt64BE(at - 8))
}

/** Skips `length` bytes. @returns where they begin. */
function take(length: number): number {
  const from = at
  if (length > end - from) refuse()
  at = from + length
  return from
}

function refuse(reason: DropReason = 'bad-record'): never {
  throw new BadValue(reason)
}
