// What stands in a view that is made once for every viewer (ProfileState.forEveryone) where something comes in that
// is filled in for each answer: what the viewer is to an account and did to a post, and what changes more often than
// the view around it, or stands in many views. answers/cache/ fills them. To everything that handles views a slot
// looks like what will stand there; only json-pieces.ts, which cuts the JSON at them, knows better.

import { randomBytes } from 'node:crypto'
import { assert } from '../../base/util/assert.ts'

/**
 * `profile` and `post` stand for an object, to which more fields may be added; `postLabels` and
 * `profileLabels` for elements of an array; the others for fields among others: none, or several.
 */
export const SLOT = {
  /** profileViewBasic of an account. */
  profile: 1,
  /** postView of a post. */
  post: 2,
  /** The counts of a post that is embedded. */
  counts: 3,
  /** `viewer` of a profile. */
  profileViewer: 4,
  /** `viewer` of a post that has no rules about replies or quotes: only what the viewer did to it. */
  postViewer: 5,
  /** `viewer` of a post with such rules. */
  gatedPostViewer: 6,
  /** The counts of a post in its own right, which also says how often it was bookmarked. */
  allCounts: 7,
  /** First of an array of labels: what labelers say of a post. */
  postLabels: 8,
  /** The same: what they say of an account and its profile. */
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

/** Stands in JSON where a slot is. Nobody else can have said it, since it is drawn anew by each process. */
export const MARK = `slot ${randomBytes(12).toString('base64url')}`

/** Those in the JSON so far, in its order. */
let met: Slot[] | undefined

/** @returns undefined where there is no view. */
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

/** Whether what views make now is for a cached view, and not worth being remembered on its own. */
export function isMakingPieces(): boolean {
  return met !== undefined
}

/** @returns a slot typed as what will stand there. */
export function slot<T>(kind: SlotKind, id: number): T {
  return new Slot(kind, id) as unknown as T
}
