// Cuts the JSON of a view built once for every viewer at its slots (slots.ts). It is written by one
// JSON.stringify, several times faster than any walk of the view in JavaScript, with a mark in place of each
// slot. The marks are then found in the text, and the pieces between them taken from its bytes, without the
// parts that the slot's content brings.

import { assert } from '../../../base/util/assert.ts'
import { NumberList } from './number-list.ts'
import { jsonWithMarks, MARK, SLOT, type SlotKind, slotIdAt, slotKindAt } from './slots.ts'

/** All for one view: what it is asked for is overwritten by the next. */
type Pieces = {
  readonly pieces: readonly string[]
  /** Pairs of kind and id, in order. */
  readonly slots: NumberList
  /** Where in a piece content may be inserted, which is rare: kind and id of the slot, piece, and place in it. */
  readonly spots: NumberList
}

/** Where a mark begins, and where it does as the first field of an `extended` object. */
const QUOTED = `"${MARK}`
const OPENED = '{"slot":'
const CLOSING_BRACE = 0x7d
const DIGIT_0 = 0x30
const MAX_UTF8_BYTES = 3

let bytes = Buffer.allocUnsafeSlow(1 << 16)

// Room that is used again for each view: arrays that grow are most of what a collection would have to clear away.
const pieces: string[] = []
const slots = new NumberList()
const spots = new NumberList()

/**
 * Serialises a view as byte text, without its closing brace, and cuts it at its slots: one more
 * piece than there are slots. The content of an object slot brings its opening brace but not the
 * closing one. Slots in arrays are seldom filled: the text is not cut there; they are returned as
 * `spots`, in order.
 * @returns undefined if there is no view
 */
export function jsonPieces(view: () => object | undefined): Pieces | undefined {
  const marked = jsonWithMarks(view)
  if (marked === undefined) return undefined
  const { text, length } = write(marked)
  slots.clear()
  spots.clear()
  let count = 0
  /** Places are those in `text`. In memory they come earlier by what was taken out. */
  let takenOut = 0
  let from = 0
  let searched = 0
  for (let at = text.indexOf(QUOTED); at >= 0; at = text.indexOf(QUOTED, searched)) {
    const end = text.indexOf('"', at + QUOTED.length)
    const place = numberIn(text, at + QUOTED.length, end)
    const kind = slotKindAt(place)
    searched = end + 1
    if (isElement(kind)) {
      if (text[searched] === ',') searched++
      spots.add(kind)
      spots.add(slotIdAt(place))
      spots.add(count)
      spots.add(at - takenOut - from)
      bytes.copyWithin(at - takenOut, searched - takenOut, length - takenOut)
      takenOut += searched - at
    } else {
      const until = isObject(kind) ? endBeforeObject(text, at) : endBeforeFields(text, at)
      pieces[count++] = bytes.toString('latin1', from, until - takenOut)
      slots.add(kind)
      slots.add(slotIdAt(place))
      from = searched - takenOut
      // The object must be closed here if no more of its fields follow.
      if (isObject(kind) && until === at) bytes[--from] = CLOSING_BRACE
    }
  }
  pieces[count++] = bytes.toString('latin1', from, length - takenOut - 1)
  return { pieces: pieces.slice(0, count), slots, spots }
}

/** Without a text cut out of the other. */
function numberIn(text: string, from: number, end: number): number {
  let number = 0
  for (let i = from; i < end; i++) number = number * 10 + text.charCodeAt(i) - DIGIT_0
  return number
}

/** @returns the text with one character per byte, so that places in it are places in memory. */
function write(json: string): { text: string; length: number } {
  const most = json.length * MAX_UTF8_BYTES
  if (most > bytes.length) bytes = Buffer.allocUnsafeSlow(most)
  const length = bytes.write(json)
  return { text: length === json.length ? json : bytes.toString('latin1', 0, length), length }
}

/**
 * The slot's content brings its fields with their commas, so the placeholder field is removed with
 * its name.
 */
function endBeforeFields(text: string, at: number): number {
  const end = text.lastIndexOf(',"', at)
  assert(end > 0 && text.indexOf('"', end + 2) === at - 2, 'a slot after other fields')
  return end
}

/** The content brings the opening brace of an object in which more fields follow. */
function endBeforeObject(text: string, at: number): number {
  return text.endsWith(OPENED, at) ? at - OPENED.length : at
}

function isObject(kind: SlotKind): boolean {
  return kind === SLOT.profile || kind === SLOT.post
}

function isElement(kind: SlotKind): boolean {
  return kind === SLOT.postLabels || kind === SLOT.profileLabels
}
