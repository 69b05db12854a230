// The JSON of a view that is made once for every viewer, cut at its slots (slots.ts).
//
// It is written by one JSON.stringify, which is several times faster than anything that walks the view
// in JavaScript, with a mark in the place of each slot; marks are then found in the text and taken out
// with what belongs to them.

import { assert } from '../../base/util/assert.ts'
import { toByteText } from './ready-json.ts'
import { jsonWithMarks, MARK, SLOT, type Slot } from './slots.ts'

/** Where in which piece something may be put in that seldom is. */
export type Spot = { slot: Slot; piece: number; at: number }

type Pieces = { pieces: string[]; slots: Slot[]; spots: Spot[] }

/** A mark as a field's value, and as the first field of an object that was `extended`. */
const QUOTED = `"${MARK}"`
const OPENED = '{"slot":'

/**
 * A view as byte text, without the brace that ends it, cut at its slots: one piece more than there
 * are slots. Those that stand for an object bring the brace that begins it, and not the other one.
 * Those in arrays are seldom filled: nothing is cut there, and they are given as `spots`, in order.
 * @returns undefined where there is no view
 */
export function jsonPieces(view: () => object | undefined): Pieces | undefined {
  const marked = jsonWithMarks(view)
  if (!marked) return undefined
  const pieces: string[] = []
  const slots: Slot[] = []
  const spots: Spot[] = []
  const texts = marked.json.split(QUOTED)
  assert(texts.length === marked.slots.length + 1, 'a mark for each slot')
  let text = texts[0]!
  for (const [i, slot] of marked.slots.entries()) {
    const next = texts[i + 1]!
    if (isElement(slot)) {
      spots.push({ slot, piece: pieces.length, at: Buffer.byteLength(text) })
      text += next.startsWith(',') ? next.slice(1) : next
    } else {
      const { before, after } = isObject(slot) ? aroundObject(text, next) : aroundFields(text, next)
      pieces.push(toByteText(before))
      slots.push(slot)
      text = after
    }
  }
  pieces.push(toByteText(text.slice(0, -1)))
  return { pieces, slots, spots }
}

type Around = { before: string; after: string }

/** A slot brings its fields with their commas, so the field that it stood in goes with its name. */
function aroundFields(before: string, after: string): Around {
  const end = before.lastIndexOf(',"')
  assert(end > 0 && before.indexOf('"', end + 2) === before.length - 2, 'a slot after other fields')
  return { before: before.slice(0, end), after }
}

/** Either more fields follow in the same object, or it has to end here. */
function aroundObject(before: string, after: string): Around {
  if (!before.endsWith(OPENED)) return { before, after: `}${after}` }
  return { before: before.slice(0, -OPENED.length), after }
}

function isObject({ kind }: Slot): boolean {
  return kind === SLOT.profile || kind === SLOT.post
}

function isElement({ kind }: Slot): boolean {
  return kind === SLOT.postLabels || kind === SLOT.profileLabels
}
