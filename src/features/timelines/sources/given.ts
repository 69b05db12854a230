// The records that a merge has given lately. Timelines that number alike need none of this (merge.ts); but a log that
// nodes share has numbers of its own, so a record that two of them hold is met twice in a walk, maybe on different
// pages. Cursors therefore carry marks of the newest records given, and a record among them is not given again.

import { createHash } from 'node:crypto'
import type { TimelineSource } from './types.ts'

export type Given = {
  /** @returns whether it is among the records given lately; if not, it is from now on */
  repeats(id: string): boolean
  /** For a cursor; newest last. */
  marks(): readonly string[]
}

/** Two places of a record are seldom further apart: a few seconds of a busy timeline. */
const MOST_GIVEN = 256
const MARK_BYTES = 6

const NONE: Given = { repeats: () => false, marks: () => [] }

/** @param marks - of a cursor */
export function givenIn(sources: readonly TimelineSource[], marks: readonly string[] = []): Given {
  return mayRepeat(sources) ? remembered(marks) : NONE
}

function mayRepeat(sources: readonly TimelineSource[]): boolean {
  const named = sources.filter(({ isNamedByRecord }) => isNamedByRecord)
  return new Set(named.map(({ numbers }) => numbers)).size > 1
}

function remembered(before: readonly string[]): Given {
  const marks = new Set(before)
  return {
    repeats(id) {
      const mark = markOf(id)
      if (marks.has(mark)) return true
      marks.add(mark)
      if (marks.size > MOST_GIVEN) marks.delete(marks.values().next().value!)
      return false
    },
    marks: () => [...marks],
  }
}

function markOf(id: string): string {
  return createHash('sha256').update(id).digest().toString('base64url', 0, MARK_BYTES)
}
