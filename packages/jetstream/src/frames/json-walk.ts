// Walks over one JSON value in bytes without building it: checks that it is well-formed, and notes the DIDs
// in it. Every DID in the text is found, because it can only be spelled plainly: escapes that could spell a
// letter or a colon raise doubt, as does anything that begins like a DID and is not a did:plc in its one
// usual form. So do whitespace between tokens, which servers don't write, and all that hostile-json.ts looks
// for. Doubt only costs time: the frame is then parsed.

import { raiseDoubt } from './doubt.ts'

const MAX_DEPTH = 32
const MAX_DIDS = 64
/** `did:plc:` and 24 characters. */
export const PLC_LENGTH = 32

const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const SLASH = 0x2f
const ZERO = 0x30
const COLON = 0x3a
const LOWER_D = 0x64
const LOWER_E = 0x65
const LOWER_I = 0x69
const LOWER_U = 0x75
const UNDERSCORE = 0x5f
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** How to handle a byte within a string. */
const PLAIN = 0
const ENDS = 1
const ESCAPES = 2
const MAY_BE_DID = 3
const FORBIDDEN = 4
const NOT_ASCII = 5

const kinds = new Uint8Array(256)
kinds.fill(FORBIDDEN, 0, 0x20)
kinds.fill(NOT_ASCII, 0x80)
kinds[QUOTE] = ENDS
kinds[0x5c] = ESCAPES
kinds[COLON] = MAY_BE_DID

/** The characters that may follow a backslash, except `u`. */
const simpleEscapes = new Uint8Array(256)
for (const char of '"\\/bfnrt') simpleEscapes[char.charCodeAt(0)] = 1

const base32 = new Uint8Array(256)
/** Of did:plc. */
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
for (const char of BASE32) base32[char.charCodeAt(0)] = 1

const bytesOf = (text: string) => new TextEncoder().encode(text)
const AFTER_DID = bytesOf(':plc:')
const LITERALS = [bytesOf('true'), bytesOf('false'), bytesOf('null')]
/** How Go's encoders write &, < and >. */
const HTML_ESCAPES = [bytesOf('0026'), bytesOf('003c'), bytesOf('003e')]

export class JsonWalk {
  bytes: Uint8Array = new Uint8Array(0)
  end = 0
  /** Whether there are non-ASCII bytes, so that the caller must check for valid UTF-8. */
  isWide = false
  /** Where DIDs begin, in order. */
  dids: number[] = []

  start(bytes: Uint8Array, end: number): void {
    this.bytes = bytes
    this.end = end
    this.isWide = false
    this.dids = []
  }

  /** @returns the end of the value that begins at `at`. @throws DoubtError */
  value(at: number, depth: number): number {
    const first = at < this.end ? this.bytes[at]! : 0
    if (first === QUOTE) return this.text(at + 1)
    if (first === OPEN_OBJECT) return this.object(at, depth)
    if (first === OPEN_ARRAY) return this.#array(at, depth)
    if (first === MINUS || isDigit(first)) return this.#number(at)
    for (const literal of LITERALS) {
      if (literal[0] === first && this.spells(at, literal)) return at + literal.length
    }
    return raiseDoubt()
  }

  object(at: number, depth: number): number {
    const { bytes } = this
    if (depth > MAX_DEPTH) raiseDoubt()
    if (bytes[at + 1] === CLOSE_OBJECT && at + 1 < this.end) return at + 2
    for (let next = at + 1; ; next++) {
      const colon = this.#key(next)
      next = this.value(colon + 1, depth + 1)
      if (next >= this.end) raiseDoubt()
      if (bytes[next] === CLOSE_OBJECT) return next + 1
      if (bytes[next] !== COMMA) raiseDoubt()
    }
  }

  #array(at: number, depth: number): number {
    const { bytes } = this
    if (depth > MAX_DEPTH) raiseDoubt()
    if (bytes[at + 1] === CLOSE_ARRAY && at + 1 < this.end) return at + 2
    for (let next = at + 1; ; next++) {
      next = this.value(next, depth + 1)
      if (next >= this.end) raiseDoubt()
      if (bytes[next] === CLOSE_ARRAY) return next + 1
      if (bytes[next] !== COMMA) raiseDoubt()
    }
  }

  /** Keys must be plain ASCII and not begin like `__proto__`. @returns where its colon is. */
  #key(at: number): number {
    const { bytes, end } = this
    if (at + 1 >= end || bytes[at] !== QUOTE || bytes[at + 1] === UNDERSCORE) raiseDoubt()
    let i = at + 1
    for (; i < end; i++) {
      const kind = kinds[bytes[i]!]!
      if (kind === ENDS) break
      if (kind !== PLAIN && kind !== MAY_BE_DID) raiseDoubt()
    }
    if (i + 1 >= end || bytes[i + 1] !== COLON) raiseDoubt()
    return i + 1
  }

  /** `at`: just after the opening quote. @returns the position after the closing one. */
  text(at: number): number {
    const { bytes, end } = this
    for (let i = at; i < end; i++) {
      const kind = kinds[bytes[i]!]!
      if (kind === PLAIN) continue
      if (kind === ENDS) return i + 1
      if (kind === NOT_ASCII) this.isWide = true
      else if (kind === MAY_BE_DID) i = this.#did(at, i)
      else if (kind === ESCAPES) i = this.#escape(i)
      else raiseDoubt()
    }
    return raiseDoubt()
  }

  /** @returns the last byte of the DID that the colon at `at` belongs to, or `at` itself. */
  #did(start: number, at: number): number {
    const { bytes } = this
    const begin = at - 3
    if (bytes[at - 1] !== LOWER_D || bytes[at - 2] !== LOWER_I || bytes[begin] !== LOWER_D)
      return at
    if (begin < start) return at
    const after = begin + PLC_LENGTH
    if (!this.isPlcDid(begin) || this.dids.length >= MAX_DIDS) raiseDoubt()
    if (bytes[after] !== QUOTE && bytes[after] !== SLASH) raiseDoubt()
    this.dids.push(begin)
    return after - 1
  }

  /** Whether a did:plc in its usual form is at `at`, with something behind it. */
  isPlcDid(at: number): boolean {
    const { bytes } = this
    const after = at + PLC_LENGTH
    if (after >= this.end) return false
    if (bytes[at] !== LOWER_D || bytes[at + 1] !== LOWER_I || bytes[at + 2] !== LOWER_D)
      return false
    if (!this.spells(at + 3, AFTER_DID)) return false
    for (let i = at + 8; i < after; i++) if (base32[bytes[i]!] === 0) return false
    return true
  }

  #escape(at: number): number {
    if (at + 1 >= this.end) raiseDoubt()
    const escaped = this.bytes[at + 1]!
    if (simpleEscapes[escaped] === 1) return at + 1
    if (escaped !== LOWER_U) raiseDoubt()
    for (const code of HTML_ESCAPES) if (this.spells(at + 2, code)) return at + 5
    return raiseDoubt()
  }

  #number(at: number): number {
    const { bytes } = this
    let i = bytes[at] === MINUS ? at + 1 : at
    i = bytes[i] === ZERO ? i + 1 : this.#digits(i)
    if (bytes[i] === DOT) i = this.#digits(i + 1)
    if ((bytes[i]! | 32) !== LOWER_E) return i
    i++
    return this.#digits(bytes[i] === PLUS || bytes[i] === MINUS ? i + 1 : i)
  }

  /** At least one. Numbers are always inside a value, so the end need not be checked. */
  #digits(at: number): number {
    let i = at
    while (i < this.end && isDigit(this.bytes[i]!)) i++
    return i === at ? raiseDoubt() : i
  }

  spells(at: number, text: Uint8Array): boolean {
    if (at + text.length > this.end) return false
    for (let i = 0; i < text.length; i++) if (this.bytes[at + i] !== text[i]) return false
    return true
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9
}
