// Times in the network's format.

/** Returns undefined for null. */
export function isoTime(ms: number): string
export function isoTime(ms: number | null): string | undefined
export function isoTime(ms: number | null): string | undefined {
  return ms === null ? undefined : new Date(ms).toISOString()
}
