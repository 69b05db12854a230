// Time this thread spends on answers, by part, as growing sums: to measure one answer, read them before and
// after. This needs no handle to be passed down, since the work is not interrupted. Time in a nested part
// counts for the inner part only.

const PARTS = ['skeleton', 'rows'] as const

type Part = (typeof PARTS)[number]

/** Milliseconds. */
export const spent: Record<Part, number> = { skeleton: 0, rows: 0 }

let inner = 0

export function timed<T>(part: Part, work: () => T): T {
  const outer = inner
  inner = 0
  const startedAt = performance.now()
  try {
    return work()
  } finally {
    const took = performance.now() - startedAt
    spent[part] += took - inner
    inner = outer + took
  }
}
