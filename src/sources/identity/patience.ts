// How long a server may still be waited for, by the pace of what it has sent.

export type LeastPace = {
  /** As received, before decompression. */
  bytesPerSecond: number
  /** How long the server may be silent before its first piece. */
  patienceMs: number
}

/** A body that came faster may pause this long, but not for all the time that it saved. */
const MOST_PATIENCE_MS = 10_000

/** Milliseconds for which the server may still be waited for. */
type Patience = {
  leftMs(): number
  waited(milliseconds: number): void
  received(bytes: number): void
}

export function createPatience({ bytesPerSecond, patienceMs }: LeastPace): Patience {
  const mostMs = Math.max(patienceMs, MOST_PATIENCE_MS)
  let leftMs = patienceMs
  return {
    leftMs: () => leftMs,
    waited(milliseconds) {
      leftMs = Math.max(0, leftMs - milliseconds)
    },
    received(bytes) {
      leftMs = Math.min(mostMs, leftMs + (bytes / bytesPerSecond) * 1000)
    },
  }
}
