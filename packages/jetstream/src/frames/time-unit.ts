// Tells times in another unit than microseconds: they would be of the first weeks of 1970, before there was a stream.

const LAST_SECONDS = 1e11
const LAST_MILLISECONDS = 1e14

type ForeignUnit = 'seconds' | 'milliseconds'

/** @returns undefined if the time may be in microseconds */
export function foreignUnit(timeUs: number): ForeignUnit | undefined {
  if (timeUs < LAST_SECONDS) return 'seconds'
  return timeUs < LAST_MILLISECONDS ? 'milliseconds' : undefined
}

export function foreignUnitWords(unit: ForeignUnit): string {
  return `the times of its events are in ${unit}, where Jetstream has microseconds`
}
