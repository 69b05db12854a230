// Serialises answers to bytes from prepared pieces. A page is mostly records and profiles that do not change
// between requests: their JSON is produced once and then copied, and only the viewer's part is written each
// time. Whole views for every viewer are cached in answers/cache/, as *byte text*: strings with one
// character per UTF-8 byte, which are written one after another, without encoding and without joining them first
// (docs/notes/2026-11-28-views-in-pieces.md).

import { CachedBytes } from './cached-bytes.ts'
import { isMakingPieces, isSlot } from './slots.ts'

// A growing buffer that text and bytes are appended to. Text is collected first, since one long write is much
// cheaper than many short ones.

// Memory for what is sent, used again once it is sent. If each answer had its own, every 4 KB of it would cost a page
// fault, a collection would free that of hundreds of answers at once, and V8 would count all of it as if it filled
// the heap (docs/notes/2026-11-27-the-memory-of-answers-is-used-again.md).

type Memory = { readonly bytes: Buffer; readonly size: number; isLent: boolean }

type ReusedMemory = {
  /**
   * Returns at least as many bytes, with any content. The caller owns them until it gives them
   * back, if ever. Up to 1 MB is reused, and from 16 KB on it is at most a quarter more than asked
   * for.
   */
  take(length: number): Buffer
  /**
   * Memory that did not come from `take`, or was given back already, is left alone.
   *
   * @param part - of the memory; nothing may read or write it from now on.
   */
  giveBack(part: Buffer): void
}

const SIZES = sizes()

/**
 * @param maxCachedBytes - beyond that, everything kept so far is left to the collector, since it may
 * be of sizes that are no longer asked for
 */
export function createReusedMemory(maxCachedBytes: number): ReusedMemory {
  let retained = emptyLists()
  const known = new WeakMap<ArrayBufferLike, Memory>()
  let storedBytes = 0

  function allocate(size: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(SIZES[size]!)
    known.set(bytes.buffer, { bytes, size, isLent: true })
    return bytes
  }

  return {
    take(length) {
      const size = SIZES.findIndex((value) => value >= length)
      if (size < 0) return Buffer.allocUnsafeSlow(length)
      const memory = retained[size]!.pop()
      if (!memory) return allocate(size)
      memory.isLent = true
      storedBytes -= memory.bytes.length
      return memory.bytes
    },
    giveBack(part) {
      const memory = known.get(part.buffer)
      if (!memory?.isLent) return
      if (storedBytes + memory.bytes.length > maxCachedBytes) {
        retained = emptyLists()
        storedBytes = 0
      }
      memory.isLent = false
      storedBytes += memory.bytes.length
      retained[memory.size]!.push(memory)
    },
  }
}

function emptyLists(): Memory[][] {
  return SIZES.map(() => [])
}

/** 4 KB to 1 MB. */
function sizes(): number[] {
  const all = [1 << 12, 1 << 13, 3 << 12]
  for (let size = 1 << 14; size < 1 << 20; size *= 2) {
    all.push(size, size * 1.25, size * 1.5, size * 1.75)
  }
  return [...all, 1 << 20]
}

const FIRST_BYTES = 1 << 18
/** Larger memory is released afterwards, since pages seldom need it. */
const MAX_CACHED_BYTES = 4 << 20
const MAX_UTF8_BYTES = 3
/** Shorter answers get memory of their own. */
const REUSED_FROM = 1 << 12
const CAPACITY = 1.1

/** Where this thread's answers are written to. */
export const answerMemory = createReusedMemory(8 << 20)

export class JsonBuffer {
  #memory = answerMemory.take(FIRST_BYTES)
  #length = 0
  #text = ''

  clear(): void {
    if (this.#memory.length > MAX_CACHED_BYTES) this.#memory = answerMemory.take(FIRST_BYTES)
    this.#length = 0
    this.#text = ''
  }

  text(text: string): void {
    this.#text += text
  }

  /** Appends the bytes of `source` from `start` up to but excluding `end`. */
  bytes(source: Buffer, start: number, end: number): void {
    this.#flush()
    this.#ensure(end - start)
    this.#length += source.copy(this.#memory, this.#length, start, end)
  }

  /** Appends byte text: one character per byte. */
  byteText(parts: readonly string[]): void {
    this.#flush()
    let memory = this.#memory
    let end = this.#length
    for (const part of parts) {
      if (end + part.length > memory.length) {
        this.#length = end
        this.#ensure(part.length)
        memory = this.#memory
      }
      end += memory.write(part, end, 'latin1')
    }
    this.#length = end
  }

  /** The number of bytes so far. */
  position(): number {
    this.#flush()
    return this.#length
  }

  /** Copies everything from `start` on. */
  copyFrom(start: number): Buffer {
    // Must be first: it may reallocate the memory.
    const end = this.position()
    const copy = Buffer.allocUnsafeSlow(end - start)
    this.#memory.copy(copy, 0, start, end)
    return copy
  }

  /**
   * Returns everything since `clear`; the caller owns the result, and may give it back to
   * `answerMemory`. If it fills most of the memory it was written to, it is returned
   * without copying, and the next one, likely to be as long, gets other memory.
   */
  take(): Buffer {
    const end = this.position()
    if (end < REUSED_FROM) return this.copyFrom(0)
    if (end * 2 < this.#memory.length) {
      const copy = answerMemory.take(end).subarray(0, end)
      this.#memory.copy(copy, 0, 0, end)
      return copy
    }
    const taken = this.#memory.subarray(0, end)
    const next = Math.ceil(end * CAPACITY)
    this.#memory = answerMemory.take(next > MAX_CACHED_BYTES ? FIRST_BYTES : next)
    this.#length = 0
    return taken
  }

  #flush(): void {
    if (this.#text === '') return
    this.#ensure(this.#text.length * MAX_UTF8_BYTES)
    this.#length += this.#memory.write(this.#text, this.#length)
    this.#text = ''
  }

  #ensure(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#memory.length) return
    const larger = answerMemory.take(Math.max(needed, this.#memory.length * 2))
    this.#memory.copy(larger, 0, 0, this.#length)
    answerMemory.giveBack(this.#memory)
    this.#memory = larger
  }
}

type Mark = { json: Buffer | undefined }

const marks = new WeakMap<object, Mark>()
const extensions = new WeakMap<object, { base: object; more: object }>()
const buffer = new JsonBuffer()

/**
 * Marks an object whose JSON may be cached for as long as the object lives; otherwise the object is
 * unchanged. The cache cannot go stale, since the bytes are tied to the object they were made from.
 * While a view for every viewer is built, nothing is marked: such a view is serialised as a whole,
 * and once.
 *
 * @param value - immutable from now on, including all it contains.
 */
export function memoJson<T extends object>(value: T): T {
  if (!isMakingPieces() && !marks.has(value)) marks.set(value, { json: undefined })
  return value
}

/** The two must have no field in common. */
export function extended<Base extends object, More extends object>(
  base: Base,
  more: More,
): Base & More {
  if (isMakingPieces()) return { ...fieldsOf(base), ...fieldsOf(more) } as Base & More
  const complete = { ...base, ...more }
  extensions.set(complete, { base, more })
  return complete
}

/** A slot is placed in an object as one of its fields, see json-pieces.ts. */
function fieldsOf(part: object): object {
  return isSlot(part) ? { slot: part } : part
}

/** Prepared JSON. Allowed anywhere in a value for `jsonBytes`. */
export class ReadyJson {
  /** Byte text, to be written one after another. */
  readonly parts: readonly string[]

  constructor(parts: readonly string[]) {
    this.parts = parts
  }
}

/**
 * Adds fields to a prepared object.
 * @param object - with at least one field, none of them in `fields`
 */
export function withFields(object: ReadyJson, fields: object): ReadyJson {
  const more = byteText(fields)
  if (more === '{}') return object
  const { parts } = object
  return new ReadyJson([...parts.slice(0, -1), parts.at(-1)!.slice(0, -1), `,${more.slice(1)}`])
}

/** Serialises a value as byte text. */
export function byteText(value: object): string {
  return toByteText(JSON.stringify(value))
}

export function toByteText(text: string): string {
  return isAscii(text) ? text : Buffer.from(text).toString('latin1')
}

/**
 * Copies byte text that is kept. V8 writes only a string that is neither joined nor cut from another
 * one without a detour, and a cut one keeps all of the other in memory.
 */
export function fullText(text: string): string {
  const length = text.length
  if (length > scratch.length) scratch = Buffer.allocUnsafeSlow(length * 2)
  scratch.write(text, 0, 'latin1')
  return scratch.toString('latin1', 0, length)
}

let scratch = Buffer.allocUnsafeSlow(1 << 14)

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

/** Returns the result of `JSON.stringify` in UTF-8, except for the order of fields. */
export function jsonBytes(value: unknown): Buffer {
  buffer.clear()
  writeValue(value)
  return buffer.take()
}

function writeValue(value: unknown): void {
  if (typeof value !== 'object' || value === null) return buffer.text(scalarJson(value))
  const mark = marks.get(value)
  if (mark?.json) return buffer.bytes(mark.json, 0, mark.json.length)
  const start = mark ? buffer.position() : 0
  if (Array.isArray(value)) writeArray(value)
  else if (value instanceof CachedBytes) buffer.bytes(value.plain, 0, value.plain.length)
  else if (value instanceof ReadyJson) buffer.byteText(value.parts)
  else if ('toJSON' in value) buffer.text(scalarJson(value))
  else {
    buffer.text('{')
    writeFields(value, true)
    buffer.text('}')
  }
  if (mark) mark.json = buffer.copyFrom(start)
}

function writeArray(values: readonly unknown[]): void {
  buffer.text('[')
  for (let i = 0; i < values.length; i++) {
    if (i > 0) buffer.text(',')
    writeValue(values[i])
  }
  buffer.text(']')
}

/** @returns whether the next field would still be the first. */
function writeFields(value: object, isFirst: boolean): boolean {
  const extension = extensions.get(value)
  if (extension) return writeFields(extension.more, writeBase(extension.base, isFirst))
  let nextIsFirst = isFirst
  for (const name of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[name]
    if (field === undefined || typeof field === 'function') continue
    buffer.text(nextIsFirst ? nameJson(name) : `,${nameJson(name)}`)
    writeValue(field)
    nextIsFirst = false
  }
  return nextIsFirst
}

/** Copies the fields of a marked base without its braces. */
function writeBase(base: object, isFirst: boolean): boolean {
  const mark = marks.get(base)
  if (!mark) return writeFields(base, isFirst)
  mark.json ??= Buffer.from(JSON.stringify(base))
  const end = mark.json.length - 1
  if (end === 1) return isFirst
  if (!isFirst) buffer.text(',')
  buffer.bytes(mark.json, 1, end)
  return false
}

/** Writes values without a JSON form as null, like `JSON.stringify` in an array. */
function scalarJson(value: unknown): string {
  return JSON.stringify(value) ?? 'null'
}

function nameJson(name: string): string {
  const known = names.get(name)
  if (known) return known
  const made = `${JSON.stringify(name)}:`
  if (names.size < MAX_NAMES) names.set(name, made)
  return made
}

/** Cap on cached field names, since records may contain arbitrary ones. */
const MAX_NAMES = 1_000
const names = new Map<string, string>()
