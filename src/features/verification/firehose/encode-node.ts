// The CID of a node of the tree, by its DAG-CBOR: `{e: [{k, p, t, v}], l}`, written into a reused buffer.
// Spec: https://atproto.com/specs/repository#mst-structure.

import { hash } from 'node:crypto'

const CID_START = String.fromCharCode(1, 0x71, 0x12, 32)
const NULL = 0xf6
/** Tag 42 around a byte string of 37: a zero byte, then the CID. */
const LINK = [0xd8, 42, 0x58, 37, 0]
const [UNSIGNED, BYTES, ARRAY] = [0x00, 0x40, 0x80]
const MOST_OVERHEAD = 128

let buffer = Buffer.allocUnsafe(16 * 1024)
let at = 0

/** `links`: CIDs of the children, one more than keys. @returns the CID's 36 bytes as latin1 text. */
export function encodeNode(node: {
  keys: readonly string[]
  values: readonly string[]
  links: readonly (string | null)[]
}): string {
  const { keys, values, links } = node
  at = 0
  reserve(MOST_OVERHEAD)
  writeByte(0xa2)
  writeKey('e')
  writeHead(ARRAY, keys.length)
  let last = ''
  for (const [i, key] of keys.entries()) {
    writeEntry({ key, last, value: values[i]!, right: links[i + 1]! })
    last = key
  }
  writeKey('l')
  writeLink(links[0]!)
  const digest = hash('sha256', buffer.subarray(0, at), 'buffer')
  return CID_START + digest.toString('latin1')
}

function writeEntry(entry: { key: string; last: string; value: string; right: string | null }) {
  const { key, last, value, right } = entry
  reserve(key.length + MOST_OVERHEAD)
  const same = commonLength(last, key)
  writeByte(0xa4)
  writeKey('k')
  writeHead(BYTES, key.length - same)
  at += buffer.write(key.slice(same), at, 'latin1')
  writeKey('p')
  writeHead(UNSIGNED, same)
  writeKey('t')
  writeLink(right)
  writeKey('v')
  writeLink(value)
}

function commonLength(a: string, b: string): number {
  let i = 0
  while (i < a.length && a.charCodeAt(i) === b.charCodeAt(i)) i++
  return i
}

function writeLink(cid: string | null): void {
  if (cid === null) return writeByte(NULL)
  for (const byte of LINK) buffer[at++] = byte
  at += buffer.write(cid, at, 'latin1')
}

/** Text of one letter. */
function writeKey(letter: string): void {
  writeByte(0x61)
  writeByte(letter.charCodeAt(0))
}

/** In its shortest form; nothing here is longer than 65,535. */
function writeHead(type: number, value: number): void {
  if (value < 24) return writeByte(type | value)
  if (value < 0x100) {
    writeByte(type | 24)
    return writeByte(value)
  }
  writeByte(type | 25)
  at = buffer.writeUInt16BE(value, at)
}

function writeByte(byte: number): void {
  buffer[at++] = byte
}

function reserve(size: number): void {
  if (at + size <= buffer.length) return
  const grown = Buffer.allocUnsafe(Math.max(buffer.length * 2, at + size))
  buffer.copy(grown, 0, 0, at)
  buffer = grown
}
