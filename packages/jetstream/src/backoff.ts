// How long to wait after a failure: the wait doubles with each failure, up to a limit.

type Backoff = {
  firstMs: number
  longestMs: number
  /** Consecutive failures before this one. */
  failures: number
}

const MAX_DOUBLINGS = 20

export function backoffMs({ firstMs, longestMs, failures }: Backoff): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures, MAX_DOUBLINGS))
}

/** Random in the upper half, so that clients that failed together do not retry together. */
export function jittered(ms: number, random: () => number = Math.random): number {
  return ms * (0.5 + random() / 2)
}
