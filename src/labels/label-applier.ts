// Labels of a stream gather for a moment, so that a burst is one transaction; a cursor that nothing
// came of is written down now and then.

import type { Label } from './label.ts'

export type LabelApplier = {
  /** The stream was taken up to `cursor`, and brought these. */
  add(labels: readonly Label[], cursor: number): void
  /** Applies what is left. */
  flush(): void
}

const GATHER_MS = 50
const MAX_GATHERED = 250
const CURSOR_AFTER_MS = 5_000

export function createLabelApplier(apply: (labels: Label[], cursor: number) => void): LabelApplier {
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
    apply(gathered, reached)
  }

  return {
    flush,
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
