// How many labels more a labeler may have here: of its own share, and of what all have together that only
// members named. The operator's own choice has no such limit.

import type { WriteDb } from '../../data/store/db.ts'
import { addKeptLabels, allLabelers, labelerRow } from '../../data/store/labelers.ts'
import type { LabelsParts } from './labels-parts.ts'

type Parts = Pick<LabelsParts, 'db' | 'isConfigured' | 'limits' | 'onDropped'>

export function roomForLabels(
  { db, isConfigured, limits }: Parts,
  did: string,
  uid: number,
): number {
  if (isConfigured(did)) return Infinity
  const kept = labelerRow(db, uid)?.kept ?? 0
  const together = allLabelers(db).reduce((sum, row) => sum + row.kept, 0)
  return Math.max(Math.min(limits.maxKept - kept, limits.maxKeptTogether - together), 0)
}

/** In the transaction in which they were written. */
export function countKeptLabels(db: WriteDb, uid: number, added: number): void {
  if (added > 0) addKeptLabels(db, uid, added)
}
