// How long to wait after a failure: twice as long after each one, up to a bound.

type Backoff = {
  firstMs: number
  longestMs: number
  /** In a row, before this one. */
  failures: number
}

const MAX_DOUBLINGS = 20

export function backoffMs({ firstMs, longestMs, failures }: Backoff): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures, MAX_DOUBLINGS))
}

/** Somewhere in the upper half, so that those who failed together don't come back together. */
export function jittered(ms: number, random: () => number = Math.random): number {
  return ms * (0.5 + random() / 2)
}
