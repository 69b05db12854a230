// Serialises answers to bytes from prepared pieces. A page is mostly records and profiles that do not change
// between requests: their JSON is produced once and then copied, and only the viewer's part is written each
// time. Whole views for every viewer are cached in answers/cache/, as *byte text*: strings with one
// character per UTF-8 byte, which are written one after another, without encoding and without joining them first
// (docs/notes/2026-11-28-views-in-pieces.md).

import { CachedBytes } from './cached-bytes.ts'
import { JsonBuffer } from './json-buffer.ts'
import { isMakingPieces, Slot } from './slots.ts'

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
  return part instanceof Slot ? { slot: part } : part
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
