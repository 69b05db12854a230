// Answers as bytes, put together from ready pieces. A page is mostly records and profiles that do
// not change from request to request: the JSON of such a part is made once and copied from then on,
// and only what is said about the viewer is written anew.
//
// A part says so itself: `keepJson` marks an object whose JSON may be kept for as long as the object
// lives, and `extended` makes an object of such a part and of further fields, as `{ ...base, ...more }`
// does. To everybody else they are ordinary objects. Nothing can be out of date here: the bytes hang
// on the object they were made of, and marked objects are never changed.

import { JsonBuffer } from './json-buffer.ts'

/** Marked objects, with their JSON once it was asked for. */
const kept = new WeakMap<object, { json: Buffer | undefined }>()
const extensions = new WeakMap<object, { base: object; more: object }>()
const buffer = new JsonBuffer()

/** @param value - never changed from now on, nor anything in it. */
export function keepJson<T extends object>(value: T): T {
  if (!kept.has(value)) kept.set(value, { json: undefined })
  return value
}

/** The two have no field in common. */
export function extended<Base extends object, More extends object>(
  base: Base,
  more: More,
): Base & More {
  const whole = { ...base, ...more }
  extensions.set(whole, { base, more })
  return whole
}

/** What `JSON.stringify` gives for the same value, up to the order of fields, in UTF-8. */
export function jsonBytes(value: unknown): Buffer {
  buffer.clear()
  writeValue(value)
  return buffer.copyFrom(0)
}

function writeValue(value: unknown): void {
  if (typeof value !== 'object' || value === null) return buffer.text(scalarJson(value))
  const mark = kept.get(value)
  if (mark?.json) return buffer.bytes(mark.json, 0, mark.json.length)
  const start = mark ? buffer.position() : 0
  if (Array.isArray(value)) writeArray(value)
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
  const mark = kept.get(base)
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
