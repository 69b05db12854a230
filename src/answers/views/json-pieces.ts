// The JSON of a view that is made once for every viewer, cut at its holes (holes.ts).
//
// It is written by one JSON.stringify, which is several times faster than anything that walks the view
// in JavaScript, with a mark in the place of each hole; marks are then found in the text and taken out
// with what belongs to them.

import { assert } from '../../base/util/assert.ts'
import { HOLE, type Hole, jsonWithMarks, MARK } from './holes.ts'
import { toByteText } from './ready-json.ts'

/** Where in which piece something may be put in that seldom is. */
export type Spot = { hole: Hole; piece: number; at: number }

export type Pieces = { pieces: string[]; holes: Hole[]; spots: Spot[] }

/** A mark as a field's value, and as the first field of an object that was `extended`. */
const QUOTED = `"${MARK}"`
const OPENED = '{"hole":'

/**
 * A view as byte text, without the brace that ends it, cut at its holes: one piece more than there
 * are holes. Those that stand for an object bring the brace that begins it, and not the other one.
 * Those in arrays are seldom filled: nothing is cut there, and they are given as `spots`, in order.
 * @returns undefined where there is no view
 */
export function jsonPieces(view: () => object | undefined): Pieces | undefined {
  const marked = jsonWithMarks(view)
  if (!marked) return undefined
  const pieces: string[] = []
  const holes: Hole[] = []
  const spots: Spot[] = []
  const texts = marked.json.split(QUOTED)
  assert(texts.length === marked.holes.length + 1, 'a mark for each hole')
  let text = texts[0]!
  for (const [i, hole] of marked.holes.entries()) {
    const next = texts[i + 1]!
    if (isElement(hole)) {
      spots.push({ hole, piece: pieces.length, at: Buffer.byteLength(text) })
      text += next.startsWith(',') ? next.slice(1) : next
    } else {
      const { before, after } = isObject(hole) ? aroundObject(text, next) : aroundFields(text, next)
      pieces.push(toByteText(before))
      holes.push(hole)
      text = after
    }
  }
  pieces.push(toByteText(text.slice(0, -1)))
  return { pieces, holes, spots }
}

type Around = { before: string; after: string }

/** A hole brings its fields with their commas, so the field that it stood in goes with its name. */
function aroundFields(before: string, after: string): Around {
  const end = before.lastIndexOf(',"')
  assert(end > 0 && before.indexOf('"', end + 2) === before.length - 2, 'a hole after other fields')
  return { before: before.slice(0, end), after }
}

/** Either more fields follow in the same object, or it has to end here. */
function aroundObject(before: string, after: string): Around {
  if (!before.endsWith(OPENED)) return { before, after: `}${after}` }
  return { before: before.slice(0, -OPENED.length), after }
}

function isObject({ kind }: Hole): boolean {
  return kind === HOLE.profile || kind === HOLE.post
}

function isElement({ kind }: Hole): boolean {
  return kind === HOLE.postLabels || kind === HOLE.profileLabels
}
