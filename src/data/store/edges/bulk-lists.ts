// Adds many records at once to lists that may have some already: a list that is largely new is read, merged
// and rewritten in full chunks; of a long list that gets few records, only the affected chunks change.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db, WriteDb } from '../db.ts'
import type { CreatorLists } from './creator-lists.ts'
import { type Edge, isSameKey, keyHashOf, keyPeriodOf, type Pointer, periodOf } from './edge.ts'
import { packEdges, packPointers } from './pack-lists.ts'
import type { SubjectLists } from './subject-lists.ts'

/** A creator's entries before a bulk of records is added. */
export type ByCreator = {
  readonly pointers: readonly Pointer[]
  /** Each repeated once per record. */
  readonly subjects: readonly number[]
  hasKey(rkey: PackedRkey): boolean
}

/** Lists with more chunks than this per new record are changed in place. */
const CHUNKS_A_RECORD = 0.25

export function byCreator(
  db: Db,
  creator: number,
  { byCreator, bySubject }: { byCreator: CreatorLists; bySubject: SubjectLists },
): ByCreator {
  const pointers = byCreator.all(db, creator)
  const byKey = Map.groupBy(pointers, ({ keyPeriod, keyHash }) => keyPeriod * 256 + keyHash)
  return {
    pointers,
    subjects: pointers.map(({ subject }) => subject),
    hasKey(rkey) {
      const alike = byKey.get(keyPeriodOf(rkey) * 256 + keyHashOf(rkey)) ?? []
      return alike.some((pointer) =>
        bySubject.find(db, creator, pointer).some((edge) => isSameKey(edge.rkey, rkey)),
      )
    },
  }
}

/** @param held - as read; the creator's list must not have changed since */
export function addToCreatorList(
  db: WriteDb,
  creator: number,
  { lists, held, edges }: { lists: CreatorLists; held: ByCreator; edges: readonly Edge[] },
): void {
  if (edges.length === 0) return
  const all = [...held.pointers, ...edges.map(pointerTo)]
  all.sort((a, b) => a.subject - b.subject)
  lists.replaceAll(db, creator, packPointers(all))
}

/** @param edges - of this subject, ascending by sortAt and account */
export function addToSubjectList(
  db: WriteDb,
  subject: number,
  { lists, edges }: { lists: SubjectLists; edges: readonly Edge[] },
): void {
  if (lists.isLonger(db, subject, Math.floor(edges.length * CHUNKS_A_RECORD))) {
    for (const edge of edges) lists.add(db, edge)
    return
  }
  const held = lists.all(db, subject)
  const all = held.length === 0 ? edges : [...held, ...edges]
  if (held.length > 0) (all as Edge[]).sort((a, b) => a.sortAt - b.sortAt || a.uid - b.uid)
  lists.replaceAll(db, subject, packEdges(all))
}

export function pointerTo({ subject, sortAt, rkey }: Edge): Pointer {
  const key = { keyPeriod: keyPeriodOf(rkey), keyHash: keyHashOf(rkey) }
  return { subject, period: periodOf(sortAt), ...key }
}
