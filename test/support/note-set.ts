// The notes that came since the last look, to be asked whether they name something.

import { NOTE } from '../../src/data/shared-memory/note-kinds.ts'
import type { NoteReader } from '../../src/data/shared-memory/note-ring.ts'

export type NoteSet = {
  /** All is to be forgotten: whatever is asked for is named. */
  isEverything: boolean
  notes: [kind: number, a: number, b: number][]
  /** `a` and `b` are anything where left out. */
  has(kind: number, a?: number, b?: number): boolean
  /** Something that is said of two accounts, in either order. */
  hasPair(kind: number, a: number, b: number): boolean
}

export function takeNotes(reader: NoteReader): NoteSet {
  const notes: NoteSet['notes'] = []
  const known = new Set<string>()
  const isEverything = !reader.take((kind, a, b) => {
    notes.push([kind, a, b])
    for (const key of [`${kind}`, `${kind} ${a}`, `${kind} ${a} ${b}`, `${kind} * ${b}`]) {
      known.add(key)
    }
  })
  function has(kind: number, a?: number, b?: number): boolean {
    if (isEverything) return true
    if (a === undefined) return known.has(b === undefined ? `${kind}` : `${kind} * ${b}`)
    return known.has(b === undefined ? `${kind} ${a}` : `${kind} ${a} ${b}`)
  }
  return {
    isEverything,
    notes,
    has,
    hasPair: (kind, a, b) => has(kind, a, b) || has(kind, b, a),
  }
}

export function nameOfNote(kind: number): string {
  return Object.entries(NOTE).find(([, value]) => value === kind)?.[0] ?? `${kind}`
}
