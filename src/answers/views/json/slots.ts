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

export class Slot {
  readonly kind: SlotKind
  readonly id: number

  constructor(kind: SlotKind, id: number) {
    this.kind = kind
    this.id = id
  }

  toJSON(): string {
    assert(met, 'a slot in a view for one viewer')
    met.push(this)
    return MARK
  }
}

/** Marks a slot in JSON. Random per process, so it cannot occur in any record. */
export const MARK = `slot ${randomBytes(12).toString('base64url')}`

/** Slots in the JSON so far, in order. */
let met: Slot[] | undefined

/** @returns undefined if there is no view. */
export function jsonWithMarks(
  view: () => object | undefined,
): { json: string; slots: Slot[] } | undefined {
  const slots: Slot[] = []
  met = slots
  try {
    const made = view()
    return made && { json: JSON.stringify(made), slots }
  } finally {
    met = undefined
  }
}

/**
 * Whether the current view is built for the cache, so that memoising its parts is not worthwhile.
 */
export function isMakingPieces(): boolean {
  return met !== undefined
}

/** @returns a slot typed as its later content. */
export function slot<T>(kind: SlotKind, id: number): T {
  return new Slot(kind, id) as unknown as T
}
