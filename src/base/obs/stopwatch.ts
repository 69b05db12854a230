// What this thread's work on answers is spent on, by part, as sums that only grow: whoever wants to know what one
// answer took reads them before and after. Work that is not interrupted needs no handle handed down to it then.
// A part within a part counts for the inner one alone.

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
