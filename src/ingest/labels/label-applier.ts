// Labels of a stream gather for a moment, so that a burst is one transaction; a cursor that nothing
// came of is written down now and then. What finds no room is kept and tried again, in its order.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Label } from './label.ts'

export type LabelApplier = {
  /** The stream was taken up to `cursor`, and brought these. */
  add(labels: readonly Label[], cursor: number): void
  /** Applies what is left. */
  flush(): void
  /** Resolves when nothing is left; what is left when the signal says so is dropped. */
  ended(signal: AbortSignal): Promise<void>
}

const GATHER_MS = 50
const MAX_GATHERED = 250
const CURSOR_AFTER_MS = 5_000
const RETRY_MS = 250

/** `apply` returns whether it found room. */
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
