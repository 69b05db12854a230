// Loops over all labels, some thousands a minute: counts the labels kept for each labeler, and drops those of
// labelers no longer remembered. An index by labeler would take as much space as the labels themselves.

import type { WriteDb } from '../../data/store/db.ts'
import { allLabelers, setStoredLabels } from '../../data/store/moderation/labelers.ts'
import { deleteLabel, type LabelKey, labelKeysAfter } from '../../data/store/moderation/labels.ts'

type LabelSweep = {
  /** Sweeps one step, within the caller's transaction. @returns how many labels were dropped. */
  step(db: WriteDb): number
}

const KEYS_A_STEP = 5_000

export function createLabelSweep(atOnce = KEYS_A_STEP): LabelSweep {
  let after: LabelKey | undefined
  let counts = new Map<number, number>()

  function finish(db: WriteDb): void {
    for (const { uid } of allLabelers(db)) setStoredLabels(db, uid, counts.get(uid) ?? 0)
    counts = new Map()
    after = undefined
  }

  return {
    step(db) {
      const known = new Set(allLabelers(db).map(({ uid }) => uid))
      const keys = labelKeysAfter(db, after, atOnce)
      let dropped = 0
      for (const key of keys) {
        counts.set(key.src, (counts.get(key.src) ?? 0) + 1)
        if (known.has(key.src)) continue
        deleteLabel(db, key, key.src, key.val)
        dropped++
      }
      after = keys.at(-1)
      if (keys.length < atOnce) finish(db)
      return dropped
    },
  }
}
