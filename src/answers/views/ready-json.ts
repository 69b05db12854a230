// Answers as bytes, put together from ready pieces. A page is mostly records and profiles that do not change from
// request to request: the JSON of such a part is made once and copied from then on, and only what is said about the
// viewer is written anew. Whole views made once for every viewer are kept elsewhere (answers/cache/), as *byte
// text*: a string with one character for each byte of the UTF-8, which joins at the cost of a pointer and is written
// out without encoding.

import { JsonBuffer } from './json-buffer.ts'
import { isMakingPieces, Slot } from './slots.ts'

type Mark = { json: Buffer | undefined }

const marks = new WeakMap<object, Mark>()
const extensions = new WeakMap<object, { base: object; more: object }>()
const buffer = new JsonBuffer()

/**
 * Marks an object whose JSON may be kept for as long as the object lives; to everybody else it is an ordinary
 * object. Nothing can be out of date here: the bytes hang on the object that they were made of. While a view for
 * every viewer is made nothing is marked: it is made of everything at once, and once.
 *
 * @param value - never changed from now on, nor anything in it.
 */
export function keepJson<T extends object>(value: T): T {
  if (!isMakingPieces() && !marks.has(value)) marks.set(value, { json: undefined })
  return value
}

/** The two have no field in common. */
export function extended<Base extends object, More extends object>(
  base: Base,
  more: More,
): Base & More {
  if (isMakingPieces()) return { ...fieldsOf(base), ...fieldsOf(more) } as Base & More
  const whole = { ...base, ...more }
  extensions.set(whole, { base, more })
  return whole
}

/** A slot stands in an object as one of its fields, see json-pieces.ts. */
function fieldsOf(part: object): object {
  return part instanceof Slot ? { slot: part } : part
}

/** JSON that is ready, as byte text. Anywhere in a value that `jsonBytes` is given. */
export class ReadyJson {
  readonly texts: readonly string[]

  /** @param texts - written one after the other */
  constructor(texts: readonly string[]) {
    this.texts = texts
  }
}

/** An array of elements that are ready, as byte text each. */
export function readyArray(elements: readonly string[]): ReadyJson {
  const texts = elements.map((element, i) => (i === 0 ? `[${element}` : `,${element}`))
  return new ReadyJson([...texts, texts.length === 0 ? '[]' : ']'])
}

/** A value's JSON as byte text. */
export function byteText(value: object): string {
  return toByteText(JSON.stringify(value))
}

export function toByteText(text: string): string {
  return isAscii(text) ? text : Buffer.from(text).toString('latin1')
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

/** What `JSON.stringify` gives for the same value, up to the order of fields, in UTF-8. */
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
  else if (value instanceof ReadyJson) for (const text of value.texts) buffer.byteText(text)
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

/** @returns whether the next field would be the first. */
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

/** The fields of a marked base are copied without its braces. */
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

/** What JSON has no word for is null, as in an array of `JSON.stringify`. */
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

/** Field names come from lexicons and, in records, from anybody. */
const MAX_NAMES = 1_000
const names = new Map<string, string>()
