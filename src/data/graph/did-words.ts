// The form of a DID in shared memory: four 32-bit words. A did:plc has 24 characters of base32, 120 bits:
// thirty bits per word, so no word is negative. Any other DID is in a heap, four characters per integer; its
// first word is -1, followed by its heap offset, its length and its hash.
// https://web.plc.directory/spec/v0.1/did-plc

import type { SharedInts } from '@slipstream/follow-graph'
import { BASE32 } from '../../base/atproto/keys.ts'
import { assert } from '../../base/util/assert.ts'
import { fnv1a, mix } from '../../base/util/hash.ts'

export const DID_WORDS = 4
const IN_HEAP = -1
const PLC_PREFIX = 'did:plc:'
const PLC_LENGTH = 32
const CHARS_A_WORD = 6
const MAX_LENGTH = 2048
const NO_VALUE = 255

const values = new Uint8Array(128).fill(NO_VALUE)
for (let i = 0; i < BASE32.length; i++) values[BASE32.charCodeAt(i)] = i

/** A DID prepared for look-up; the next call overwrites `words`. */
type PackedDid = { isPlc: boolean; hash: number }

/** Packs a did:plc into `words`; for other DIDs, only computes the hash. */
export function packDid(did: string, words: Int32Array): PackedDid {
  if (!packPlc(did, words)) return { isPlc: false, hash: hashText(did) }
  return { isPlc: true, hash: hashWords(words, 0) }
}

/** Packs the did:plc whose 32 ASCII characters start at `at`; it must be well-formed. */
export function packPlcBytes(bytes: Uint8Array, at: number, words: Int32Array): number {
  for (let word = 0, from = at + PLC_PREFIX.length; word < DID_WORDS; word++) {
    let packed = 0
    for (let i = 0; i < CHARS_A_WORD; i++) packed = (packed << 5) | values[bytes[from++]!]!
    words[word] = packed
  }
  return hashWords(words, 0)
}

/**
 * The hash of a stored DID, the same as from `packDid`. It decides what lossy timelines keep: with
 * another hash, servers of two versions would keep different posts.
 */
export function hashAt(words: Int32Array, at: number): number {
  return words[at] === IN_HEAP ? words[at + 3]! : hashWords(words, at)
}

/** Whether these words can be a DID, given the length of the heap. */
export function isDidAt(words: Int32Array, at: number, heapTop: number): boolean {
  if (words[at] !== IN_HEAP) return words[at]! >= 0
  const [start, length] = [words[at + 1]!, words[at + 2]!]
  return start >= 0 && length > 0 && length <= MAX_LENGTH && start + intsFor(length) <= heapTop
}

function hashWords(words: Int32Array, at: number): number {
  return mix(words[at]! ^ mix(words[at + 1]! ^ mix(words[at + 2]! ^ mix(words[at + 3]!))))
}

function packPlc(did: string, words: Int32Array): boolean {
  if (did.length !== PLC_LENGTH || !did.startsWith(PLC_PREFIX)) return false
  for (let word = 0, at = PLC_PREFIX.length; word < DID_WORDS; word++) {
    let packed = 0
    for (let i = 0; i < CHARS_A_WORD; i++) {
      const value = values[did.charCodeAt(at++)] ?? NO_VALUE
      if (value === NO_VALUE) return false
      packed = (packed << 5) | value
    }
    words[word] = packed
  }
  return true
}

export function unpackDid(words: Int32Array, at: number, heap: Int32Array): string {
  if (words[at] === IN_HEAP) return readHeap(heap, words[at + 1]!, words[at + 2]!)
  let did = PLC_PREFIX
  for (let word = 0; word < DID_WORDS; word++) {
    const packed = words[at + word]!
    for (let shift = 25; shift >= 0; shift -= 5) did += BASE32[(packed >>> shift) & 31]
  }
  return did
}

/** Stores a DID other than a did:plc in the heap. @returns the new end of the heap. */
export function storeInHeap(
  did: string,
  target: { words: Int32Array; at: number; heap: SharedInts; top: number },
): number {
  const { words, at, heap, top } = target
  assert(did.length <= MAX_LENGTH, 'a DID is at most 2048 characters long')
  const end = top + intsFor(did.length)
  heap.ensure(end)
  const { ints } = heap
  ints.fill(0, top, end)
  for (let i = 0; i < did.length; i++) {
    ints[top + (i >>> 2)]! |= (did.charCodeAt(i) & 0xff) << ((i & 3) * 8)
  }
  words[at] = IN_HEAP
  words[at + 1] = top
  words[at + 2] = did.length
  words[at + 3] = hashText(did)
  return end
}

export function isSameInHeap(
  did: string,
  words: Int32Array,
  at: number,
  heap: Int32Array,
): boolean {
  if (words[at] !== IN_HEAP || words[at + 2] !== did.length) return false
  const start = words[at + 1]!
  for (let i = 0; i < did.length; i++) {
    if (characterAt(heap, start, i) !== did.charCodeAt(i)) return false
  }
  return true
}

function readHeap(heap: Int32Array, start: number, length: number): string {
  let text = ''
  for (let i = 0; i < length; i++) text += String.fromCharCode(characterAt(heap, start, i))
  return text
}

function characterAt(heap: Int32Array, start: number, i: number): number {
  return (heap[start + (i >>> 2)]! >>> ((i & 3) * 8)) & 0xff
}

function intsFor(characters: number): number {
  return (characters + 3) >>> 2
}

function hashText(text: string): number {
  return mix(fnv1a(text))
}
