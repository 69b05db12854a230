// How many more labels of a labeler may be kept: within its own share and the total for labelers that only
// members named. Labelers that the operator configured have no limit.

import type { WriteDb } from '../../data/store/db.ts'
import { addStoredLabels, allLabelers, labelerRow } from '../../data/store/moderation/labelers.ts'
import type { LabelsContext } from './labels-context.ts'

type Dependencies = Pick<LabelsContext, 'db' | 'isConfigured' | 'limits' | 'onDropped'>

export function capacityForLabels(
  { db, isConfigured, limits }: Dependencies,
  did: string,
  uid: number,
): number {
  if (isConfigured(did)) return Infinity
  const retained = labelerRow(db, uid)?.kept ?? 0
  const together = allLabelers(db).reduce((sum, row) => sum + row.kept, 0)
  return Math.max(Math.min(limits.maxStored - retained, limits.maxStoredTogether - together), 0)
}

/** Called in the transaction that wrote the labels. */
export function countStoredLabels(db: WriteDb, uid: number, added: number): void {
  if (added > 0) addStoredLabels(db, uid, added)
}
