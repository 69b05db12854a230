// Slots: placeholders in a view built once for every viewer (ProfileState.forEveryone) for content filled in
// per answer: the viewer's relations to accounts and actions on posts, and parts that change more often than
// the view or appear in many views. answers/cache/ fills them. View code treats a slot like its later
// content; only json-pieces.ts, which cuts the JSON at slots, tells them apart.

import { randomBytes } from 'node:crypto'
import { assert } from '../../../base/util/assert.ts'

/**
 * `profile` and `post` stand for an object that may have further fields; `postLabels` and
 * `profileLabels` for elements of an array; the others for any number of fields of an object, even
 * none.
 */
export const SLOT = {
  /** profileViewBasic of an account. */
  profile: 1,
  /** postView of a post. */
  post: 2,
  /** Counts of an embedded post. */
  counts: 3,
  /** `viewer` of a profile. */
  profileViewer: 4,
  /** `viewer` of a post without gates: only the viewer's actions on it. */
  postViewer: 5,
  /** `viewer` of a post with gates. */
  gatedPostViewer: 6,
  /** Counts of a post that is not embedded, including its bookmark count. */
  allCounts: 7,
  /** First element of an array of labels: labelers' labels on a post. */
  postLabels: 8,
  /** The same for labelers' labels on an account and its profile. */
  profileLabels: 9,
} as const

export type SlotKind = (typeof SLOT)[keyof typeof SLOT]

/**
 * What stands in JSON for a slot, followed by the slot's place among those made. Random per process, so it cannot
 * occur in any record.
 */
export const MARK = `slot ${randomBytes(12).toString('base64url')} `

/** Marks are made once: strings joined for each slot would be copied each time. */
const marks: string[] = []

/**
 * Slots of the view that is being built, in the order in which they were made: pairs of kind and id, in room that is
 * used again for the next view.
 */
const made: number[] = []
let count = 0
let isMaking = false

/**
 * The JSON of a view, with marks in it. Its slots can be asked for until the next view is made.
 * @returns undefined if there is no view.
 */
export function jsonWithMarks(view: () => object | undefined): string | undefined {
  count = 0
  isMaking = true
  try {
    const built = view()
    return built && JSON.stringify(built)
  } finally {
    isMaking = false
  }
}

/** The kind of the slot that was made at this place. */
export function slotKindAt(place: number): SlotKind {
  assert(place < count, 'a slot for each mark')
  return made[place * 2] as SlotKind
}

export function slotIdAt(place: number): number {
  return made[place * 2 + 1]!
}

/**
 * Whether the current view is built for the cache, so that memoising its parts is not worthwhile.
 */
export function isMakingPieces(): boolean {
  return isMaking
}

/** @returns a slot typed as its later content; it is a text, since JSON.stringify is slow at objects with a method. */
export function slot<T>(kind: SlotKind, id: number): T {
  assert(isMaking, 'a slot in a view for one viewer')
  const place = count++
  made[place * 2] = kind
  made[place * 2 + 1] = id
  marks[place] ??= `${MARK}${place}`
  return marks[place] as unknown as T
}

/** Whether a part of a view is a slot: parts are objects otherwise. */
export function isSlot(part: object | string): boolean {
  return typeof part === 'string'
}
