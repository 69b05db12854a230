// Answers as bytes, put together from ready pieces. A page is mostly records and profiles that do
// not change from request to request: the JSON of such a part is made once and copied from then on,
// and only what is said about the viewer is written anew.
//
// A part says so itself: `keepJson` marks an object whose JSON may be kept for as long as the object
// lives, and `extended` makes an object of such a part and of further fields, as `{ ...base, ...more }`
// does. To everybody else they are ordinary objects. Nothing can be out of date here: the bytes hang
// on the object they were made of, and marked objects are never changed.
//
// Whole views made once for every viewer are kept elsewhere (fragments/): `jsonPieces` cuts their JSON
// at the holes in them (holes.ts), and what they were filled up to goes into an answer as `ReadyJson`.
// Such JSON is held as *byte text*: a string with one character for each byte of the UTF-8. It takes a
// byte of memory for each, joins at the cost of a pointer, and is written out without encoding.

import { assert } from '../assert.ts'
import { HOLE, Hole } from './holes.ts'
import { JsonBuffer } from './json-buffer.ts'

type Mark = { json: Buffer | undefined }
type Extension = { base: object; more: object }
type Marks = {
  /** Marked objects, with their JSON once it was asked for. */
  kept: WeakMap<object, Mark> | Map<object, Mark>
  extensions: WeakMap<object, Extension> | Map<object, Extension>
}

const lasting: Marks = { kept: new WeakMap(), extensions: new WeakMap() }
const buffer = new JsonBuffer()

/** @param value - never changed from now on, nor anything in it. */
export function keepJson<T extends object>(value: T): T {
  const { kept } = passing?.marks ?? lasting
  if (!kept.has(value)) kept.set(value, { json: undefined })
  return value
}

/** The two have no field in common. */
export function extended<Base extends object, More extends object>(
  base: Base,
  more: More,
): Base & More {
  const { extensions } = passing?.marks ?? lasting
  const whole = { ...base, ...more }
  extensions.set(whole, { base, more })
  return whole
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

export type Pieces = { pieces: string[]; holes: Hole[] }

/**
 * A view as byte text, without the brace that ends it, cut at its holes: one piece more than there
 * are holes. Those that stand for an object bring the brace that begins it, and not the other one.
 * @param view - makes it; what it marks is forgotten at once, since it all goes into the pieces
 */
export function jsonPieces(view: () => object | undefined): Pieces | undefined {
  const places: number[] = []
  const holes: Hole[] = []
  buffer.clear()
  passing = { places, holes, marks: { kept: new Map(), extensions: new Map() } }
  try {
    const made = view()
    if (!made) return undefined
    buffer.text('{')
    writeFields(made, true)
  } finally {
    passing = undefined
  }
  return { pieces: cutAt(buffer.takeText(), places), holes }
}

/** While a fragment is made: where its holes are, and what its views marked. */
type Passing = { places: number[]; holes: Hole[]; marks: Marks }
let passing: Passing | undefined

/** Whether what views make now is for a fragment, and not worth being remembered on its own. */
export function isPassing(): boolean {
  return passing !== undefined
}

function cutAt(text: string, places: readonly number[]): string[] {
  const pieces: string[] = []
  for (let i = 0; i <= places.length; i++) pieces.push(text.slice(places[i - 1] ?? 0, places[i]))
  return isAscii(text) ? pieces : pieces.map(toByteText)
}

function toByteText(text: string): string {
  return isAscii(text) ? text : Buffer.from(text).toString('latin1')
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

function writeHole(hole: Hole): void {
  assert(passing, 'a hole in a view for one viewer')
  passing.places.push(buffer.textLength)
  passing.holes.push(hole)
}

/** What `JSON.stringify` gives for the same value, up to the order of fields, in UTF-8. */
export function jsonBytes(value: unknown): Buffer {
  buffer.clear()
  writeValue(value)
  return buffer.take()
}

function writeValue(value: unknown): void {
  if (typeof value !== 'object' || value === null) return buffer.text(scalarJson(value))
  const mark = (passing?.marks ?? lasting).kept.get(value)
  if (mark?.json) return buffer.bytes(mark.json, 0, mark.json.length)
  // What may be kept has no holes, but what is put around it has.
  if (mark && passing) return buffer.text(JSON.stringify(value))
  const start = mark ? buffer.position() : 0
  if (Array.isArray(value)) writeArray(value)
  else if (value instanceof ReadyJson) for (const text of value.texts) buffer.byteText(text)
  else if ('toJSON' in value) buffer.text(scalarJson(value))
  else {
    if (!beginsWithHole(value)) buffer.text('{')
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
  if (value instanceof Hole) {
    writeHole(value)
    return false
  }
  const extension = (passing?.marks ?? lasting).extensions.get(value)
  if (extension) return writeFields(extension.more, writeBase(extension.base, isFirst))
  let nextIsFirst = isFirst
  for (const name of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[name]
    if (field === undefined || typeof field === 'function') continue
    if (field instanceof Hole && isOfFields(field)) {
      writeHole(field)
      continue
    }
    buffer.text(nextIsFirst ? nameJson(name) : `,${nameJson(name)}`)
    writeValue(field)
    nextIsFirst = false
  }
  return nextIsFirst
}

function beginsWithHole(value: object): boolean {
  if (!passing) return false
  return value instanceof Hole || passing.marks.extensions.get(value)?.base instanceof Hole
}

/** Whether the hole brings its fields with their commas, and not an object. */
function isOfFields({ kind }: Hole): boolean {
  return kind !== HOLE.profile && kind !== HOLE.post
}

/** The fields of a marked base are copied without its braces. */
function writeBase(base: object, isFirst: boolean): boolean {
  const mark = passing ? undefined : lasting.kept.get(base)
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
