// Encodes JSON as DAG-CBOR: maps sorted by key length, then bytes; `$link` as tag 42; `$bytes` as a byte string; no
// floats. One pass into a reused buffer: the general libraries (JSON to data model to CBOR) cost several times as much,
// and a cold start checks hundreds of thousands of records. Spec: https://atproto.com/specs/data-model.

import type { JsonObject } from '../../util/json-object.ts'
import { bytesOfCid } from '../keys.ts'

const MAX_DEPTH = 100
const INITIAL_BYTES = 64 * 1024
const CID_TAG = 42

/** The value has no DAG-CBOR form that AT Protocol allows. */
export class UnencodableError extends Error {
  override name = 'UnencodableError'
}

const MAJOR = { unsigned: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, tag: 6 } as const

let buffer = Buffer.allocUnsafe(INITIAL_BYTES)
let length = 0

/**
 * @returns bytes that the next call overwrites
 * @throws UnencodableError on floats, bad links or bytes, broken text, `__proto__`, or nesting deeper
 * than 100.
 */
export function encodeObject(value: JsonObject): Buffer {
  length = 0
  writeValue(value, 0)
  return buffer.subarray(0, length)
}

function writeValue(value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw new UnencodableError('nested too deep')
  if (typeof value === 'string') writeText(value)
  else if (typeof value === 'number') writeInteger(value)
  else if (typeof value === 'boolean') writeByte(value ? 0xf5 : 0xf4)
  else if (value === null) writeByte(0xf6)
  else if (Array.isArray(value)) writeArray(value, depth)
  else if (typeof value === 'object') writeObject(value as JsonObject, depth)
  else throw new UnencodableError(`a ${typeof value}`)
}

function writeArray(items: unknown[], depth: number): void {
  writeHead(MAJOR.array, items.length)
  for (const item of items) writeValue(item, depth + 1)
}

function writeObject(value: JsonObject, depth: number): void {
  const keys = Object.keys(value)
  if (keys.length === 1 && keys[0] === '$link') writeLink(value['$link'])
  else if (keys.length === 1 && keys[0] === '$bytes') writeBytes(value['$bytes'])
  else writeMap(value, keys, depth)
}

function writeMap(value: JsonObject, keys: string[], depth: number): void {
  writeHead(MAJOR.map, keys.length)
  for (const key of keys.sort(compareKeys)) {
    if (key === '__proto__') throw new UnencodableError('a __proto__')
    writeText(key)
    writeValue(value[key], depth + 1)
  }
}

/** Shorter keys first, by bytes of UTF-8; then by bytes. */
function compareKeys(a: string, b: string): number {
  const byLength = Buffer.byteLength(a) - Buffer.byteLength(b)
  if (byLength !== 0) return byLength
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function writeInteger(value: number): void {
  if (!Number.isSafeInteger(value)) throw new UnencodableError('a number that is no integer')
  if (value >= 0) writeHead(MAJOR.unsigned, value)
  else writeHead(MAJOR.negative, -1 - value)
}

function writeText(value: string): void {
  if (!value.isWellFormed()) throw new UnencodableError('half of a surrogate pair')
  const size = Buffer.byteLength(value)
  writeHead(MAJOR.text, size)
  reserve(size)
  buffer.write(value, length, 'utf8')
  length += size
}

function writeBytes(value: unknown): void {
  if (typeof value !== 'string') throw new UnencodableError('$bytes that are no text')
  const bytes = Buffer.from(value, 'base64')
  writeHead(MAJOR.bytes, bytes.length)
  copy(bytes)
}

/** Tag 42 around a byte string: a zero byte, then the binary CID. */
function writeLink(value: unknown): void {
  const bytes = typeof value === 'string' ? bytesOfCid(value) : undefined
  if (!bytes) throw new UnencodableError('a $link that is no CID in base32')
  writeHead(MAJOR.tag, CID_TAG)
  writeHead(MAJOR.bytes, bytes.length + 1)
  writeByte(0)
  copy(bytes)
}

/** The type in the top three bits, then the number in its shortest form. */
function writeHead(major: number, value: number): void {
  reserve(9)
  const type = major << 5
  if (value < 24) {
    buffer[length++] = type | value
  } else if (value < 0x100) {
    buffer[length++] = type | 24
    buffer[length++] = value
  } else if (value < 0x10000) {
    buffer[length++] = type | 25
    length = buffer.writeUInt16BE(value, length)
  } else if (value < 0x100000000) {
    buffer[length++] = type | 26
    length = buffer.writeUInt32BE(value, length)
  } else {
    buffer[length++] = type | 27
    length = buffer.writeBigUInt64BE(BigInt(value), length)
  }
}

function writeByte(byte: number): void {
  reserve(1)
  buffer[length++] = byte
}

function copy(bytes: Buffer): void {
  reserve(bytes.length)
  length += bytes.copy(buffer, length)
}

function reserve(size: number): void {
  if (length + size <= buffer.length) return
  const grown = Buffer.allocUnsafe(Math.max(buffer.length * 2, length + size))
  buffer.copy(grown, 0, 0, length)
  buffer = grown
}
