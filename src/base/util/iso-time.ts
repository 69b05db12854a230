// Times as the network writes them.

/** Null stays out. */
export function isoTime(ms: number): string
export function isoTime(ms: number | null): string | undefined
export function isoTime(ms: number | null): string | undefined {
  return ms === null ? undefined : new Date(ms).toISOString()
}
