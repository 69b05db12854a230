// Gathers a stream's labels for a moment, so that a burst is one transaction. A cursor without labels is
// saved now and then. Labels that find no room on disk are kept and retried in order.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Label } from '../../sources/label.ts'

export type LabelApplier = {
  /** Adds the labels read up to `cursor`. */
  add(labels: readonly Label[], cursor: number): void
  /** Applies the gathered labels. */
  flush(): void
  /** Resolves when all labels are applied; on abort the rest is dropped. */
  ended(signal: AbortSignal): Promise<void>
}

const GATHER_MS = 50
const MAX_GATHERED = 250
const CURSOR_AFTER_MS = 5_000
const RETRY_MS = 250

/** @param apply - returns false if there was no room on disk. */
export function createLabelApplier(
  apply: (labels: Label[], cursor: number) => boolean,
): LabelApplier {
  let labels: Label[] = []
  let cursor: number | undefined
  let timer: NodeJS.Timeout | undefined
  let isSoon = false

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    isSoon = false
    if (cursor === undefined) return
    const gathered = labels
    const reached = cursor
    labels = []
    cursor = undefined
    if (apply(gathered, reached)) return
    labels = gathered
    cursor = reached
    timer = setTimeout(flush, RETRY_MS)
  }

  return {
    flush,
    async ended(signal) {
      flush()
      while (cursor !== undefined && !signal.aborted) await sleep(RETRY_MS)
      clearTimeout(timer)
    },
    add(more, reached) {
      labels.push(...more)
      cursor = reached
      if (labels.length >= MAX_GATHERED) return flush()
      const isUrgent = labels.length > 0
      if (timer && (isSoon || !isUrgent)) return
      clearTimeout(timer)
      isSoon = isUrgent
      timer = setTimeout(flush, isUrgent ? GATHER_MS : CURSOR_AFTER_MS)
    },
  }
}
