// Scans a commit frame's bytes without parsing the record or making strings: enough to tell whether a known
// account is involved, and to check all that a decoder checks. Accepts only frames that the full decoder
// (frame-decoder.ts, commit.ts) surely turns into an event: every field once, in its usual form, the record
// well-formed. All else (other kinds or keys, escapes, DIDs other than did:plc) raises doubt and is fully
// decoded. Keys may be in any order.

import { assert } from '../assert.ts'
import { isUtf8, latin1Of } from '../platform.ts'
import { raiseDoubt } from './doubt.ts'
import { JsonWalk, PLC_LENGTH } from './json-walk.ts'
import { parseTimeUs } from './syntax.ts'

type Operation = 'create' | 'update' | 'delete'

const QUOTE = 0x22
const COMMA = 0x2c
const ZERO = 0x30
const COLON = 0x3a
const OPEN = 0x7b
const CLOSE = 0x7d
const TID_LENGTH = 13
const CID_LENGTH = 59
const MAX_RKEY = 512
const MAX_TIME = 40
const MAX_DIGITS = 16

const encode = (text: string) => new TextEncoder().encode(text)

const KEYS = [
  ...['did', 'rev', 'cid', 'seq', 'kind', 'rkey', 'time', '$type', 'commit', 'cursor', 'record'],
  ...['time_us', 'payload', 'operation', 'collection'],
]
const LONGEST_KEY = 10
const bit = (...keys: string[]) => keys.reduce((bits, key) => bits | (1 << KEYS.indexOf(key)), 0)
const DID = KEYS.indexOf('did')
const REV = KEYS.indexOf('rev')
const CID = KEYS.indexOf('cid')
const SEQ = KEYS.indexOf('seq')
const KIND = KEYS.indexOf('kind')
const RKEY = KEYS.indexOf('rkey')
const TIME = KEYS.indexOf('time')
const TYPE = KEYS.indexOf('$type')
const COMMIT = KEYS.indexOf('commit')
const CURSOR = KEYS.indexOf('cursor')
const RECORD = KEYS.indexOf('record')
const TIME_US = KEYS.indexOf('time_us')
const PAYLOAD = KEYS.indexOf('payload')
const OPERATION = KEYS.indexOf('operation')
const COLLECTION = KEYS.indexOf('collection')

/** The required and optional keys of an object. */
type Shape = { required: number; optional: number; type: Uint8Array | undefined }

const WRITTEN = bit('record', 'cid')
const V1: Shape = {
  required: bit('did', 'time_us', 'kind', 'commit'),
  optional: bit('cursor'),
  type: undefined,
}
const V1_COMMIT: Shape = {
  required: bit('rev', 'operation', 'collection', 'rkey'),
  optional: WRITTEN,
  type: undefined,
}
const V2: Shape = { required: bit('$type', 'payload'), optional: 0, type: encode('message"') }
const V2_COMMIT: Shape = {
  required: bit('$type', 'seq', 'did', 'time', 'rev', 'operation', 'collection', 'rkey'),
  optional: WRITTEN,
  type: encode('network.bsky.jetstream.subscribeEvents#commit"'),
}

const keyBytes = KEYS.map(encode)
/** Maps length, first and last character to the only possible key. */
const keyTable = new Int8Array(256).fill(-1)
for (const [key, bytes] of keyBytes.entries()) {
  const slot = keyHash(bytes.length, bytes[0]!, bytes.at(-1)!)
  assert(keyTable[slot] === -1, 'two keys at one place')
  keyTable[slot] = key
}

const charSet = (chars: string) => {
  const set = new Uint8Array(256)
  for (const char of chars) set[char.charCodeAt(0)] = 1
  return set
}
const DIGITS = '0123456789'
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const tidFirst = charSet('234567abcdefghij')
const tidRest = charSet(`234567${LETTERS}`)
const cidLast = charSet('aeimquy4')
const rkeyChars = charSet(`${LETTERS}${LETTERS.toUpperCase()}${DIGITS}_~.:-`)
const CID_START = encode('bafyrei')
const COMMIT_KIND = encode('commit"')
const OPERATIONS = (['create', 'update', 'delete'] as const).map(
  (name) => [name, encode(`${name}"`)] as const,
)

export class CommitScan {
  timeUs = 0
  seq: number | undefined
  operation: Operation = 'create'
  collection = ''
  creatorAt = 0
  /** Positions of the DIDs in the record. */
  accountsAt: number[] = []

  readonly #walk = new JsonWalk()
  readonly #wire: 'v1' | 'v2'
  readonly #collections: (readonly [string, Uint8Array])[]
  #bytes: Uint8Array = new Uint8Array(0)
  #end = 0

  /** @param collections the collections to scan; all others raise doubt. */
  constructor(wire: 'v1' | 'v2', collections: readonly string[]) {
    this.#wire = wire
    this.#collections = collections.map((name) => [name, encode(`${name}"`)] as const)
  }

  /** Fills the fields from a frame's content. @throws DoubtError if the frame must be parsed. */
  read(content: Uint8Array): void {
    this.#bytes = content
    this.#end = content.length
    this.#walk.start(content, content.length)
    this.seq = undefined
    const at = this.#object(0, this.#wire === 'v1' ? V1 : V2)
    if (at !== this.#end) raiseDoubt()
    this.accountsAt = this.#walk.dids
    if (this.#walk.isWide && !isUtf8(content)) raiseDoubt()
  }

  #object(start: number, shape: Shape): number {
    const bytes = this.#bytes
    if (bytes[start] !== OPEN || start >= this.#end) raiseDoubt()
    let seen = 0
    for (let at = start + 1; ; at++) {
      const key = this.#keyAt(at)
      const mark = 1 << key
      if ((seen & mark) !== 0 || ((shape.required | shape.optional) & mark) === 0) raiseDoubt()
      seen |= mark
      at = this.#value(key, at + keyBytes[key]!.length + 3, shape)
      if (at >= this.#end) raiseDoubt()
      if (bytes[at] === CLOSE) {
        if ((seen & shape.required) !== shape.required) raiseDoubt()
        if ((shape.optional & WRITTEN) !== 0) this.#checkWritten(seen)
        return at + 1
      }
      if (bytes[at] !== COMMA) raiseDoubt()
    }
  }

  /** A deletion has neither record nor CID; all other operations have both. */
  #checkWritten(seen: number): void {
    if ((seen & WRITTEN) !== (this.operation === 'delete' ? 0 : WRITTEN)) raiseDoubt()
  }

  /** The key whose opening quote is at `at`; a colon follows it. */
  #keyAt(at: number): number {
    const bytes = this.#bytes
    let end = at + 1
    for (const last = end + LONGEST_KEY; end <= last && bytes[end] !== QUOTE; ) end++
    const key = keyTable[keyHash(end - at - 1, bytes[at + 1]!, bytes[end - 1]!)]!
    if (key < 0 || bytes[at] !== QUOTE || bytes[end] !== QUOTE || bytes[end + 1] !== COLON) {
      raiseDoubt()
    }
    const name = keyBytes[key]!
    if (name.length !== end - at - 1 || !this.#walk.spells(at + 1, name)) raiseDoubt()
    return key
  }

  /** @returns the end of the key's value, which begins at `at`. */
  #value(key: number, at: number, shape: Shape): number {
    if (key === COMMIT) return this.#object(at, V1_COMMIT)
    if (key === PAYLOAD) return this.#object(at, V2_COMMIT)
    if (key === RECORD) {
      if (this.#bytes[at] !== OPEN) raiseDoubt()
      return this.#walk.object(at, 0)
    }
    if (key === TIME_US) return this.#digits(at, true)
    if (key === SEQ || key === CURSOR) return this.#digits(at, false)
    if (this.#bytes[at] !== QUOTE) raiseDoubt()
    return this.#text(key, at + 1, shape)
  }

  /** `at`: just after the opening quote. */
  #text(key: number, at: number, { type }: Shape): number {
    switch (key) {
      case DID:
        if (!this.#walk.isPlcDid(at) || this.#bytes[at + PLC_LENGTH] !== QUOTE) raiseDoubt()
        this.creatorAt = at
        return at + PLC_LENGTH + 1
      case REV:
        return this.#tid(at)
      case CID:
        return this.#cid(at)
      case RKEY:
        return this.#rkey(at)
      case TIME:
        return this.#time(at)
      case TYPE:
        return type ? this.#exactly(at, type) : raiseDoubt()
      case KIND:
        return this.#exactly(at, COMMIT_KIND)
      case OPERATION:
        return this.#operation(at)
      case COLLECTION:
        return this.#collection(at)
    }
    return raiseDoubt()
  }

  #exactly(at: number, text: Uint8Array): number {
    return this.#walk.spells(at, text) ? at + text.length : raiseDoubt()
  }

  #operation(at: number): number {
    for (const [name, text] of OPERATIONS) {
      if (!this.#walk.spells(at, text)) continue
      this.operation = name
      return at + text.length
    }
    return raiseDoubt()
  }

  #collection(at: number): number {
    for (const [name, text] of this.#collections) {
      if (!this.#walk.spells(at, text)) continue
      this.collection = name
      return at + text.length
    }
    return raiseDoubt()
  }

  #tid(at: number): number {
    const bytes = this.#bytes
    const end = at + TID_LENGTH
    if (end >= this.#end || tidFirst[bytes[at]!] === 0 || bytes[end] !== QUOTE) raiseDoubt()
    for (let i = at + 1; i < end; i++) if (tidRest[bytes[i]!] === 0) raiseDoubt()
    return end + 1
  }

  #cid(at: number): number {
    const bytes = this.#bytes
    const last = at + CID_LENGTH - 1
    if (last + 1 >= this.#end || bytes[last + 1] !== QUOTE) raiseDoubt()
    if (!this.#walk.spells(at, CID_START) || cidLast[bytes[last]!] === 0) raiseDoubt()
    const first = bytes[at + CID_START.length]!
    if (first < 0x61 || first > 0x68) raiseDoubt()
    for (let i = at + CID_START.length; i < last; i++) if (tidRest[bytes[i]!] === 0) raiseDoubt()
    return last + 2
  }

  #rkey(at: number): number {
    const bytes = this.#bytes
    let end = at
    while (end < this.#end && rkeyChars[bytes[end]!] === 1) end++
    const length = end - at
    if (length === 0 || length > MAX_RKEY || end >= this.#end || bytes[end] !== QUOTE) raiseDoubt()
    // Rules out `.` and `..`; other short keys are decoded fully.
    if (length < 3) raiseDoubt()
    return end + 1
  }

  #time(at: number): number {
    const bytes = this.#bytes
    const end = bytes.indexOf(QUOTE, at)
    if (end < 0 || end >= this.#end || end - at > MAX_TIME) raiseDoubt()
    const timeUs = parseTimeUs(latin1Of(bytes, at, end))
    if (timeUs === undefined) raiseDoubt()
    this.timeUs = timeUs
    return end + 1
  }

  /** A positive safe integer. */
  #digits(at: number, isTime: boolean): number {
    const bytes = this.#bytes
    let value = 0
    let end = at
    for (; end < this.#end; end++) {
      const digit = bytes[end]! - ZERO
      if (digit < 0 || digit > 9) break
      value = value * 10 + digit
    }
    if (bytes[at] === ZERO || end === at || end - at > MAX_DIGITS) raiseDoubt()
    if (!Number.isSafeInteger(value)) raiseDoubt()
    if (isTime) this.timeUs = value
    else this.seq = value
    return end
  }
}

function keyHash(length: number, first: number, last: number): number {
  return (length * 31 + first * 7 + last * 13) & 255
}
