// What a chart's axes show: no more time than the record has, and no more height than nearly all values need.

type Recorded = {
  stepSeconds: number
  /** Of the whole ring. */
  spanSeconds: number
  /** Milliseconds since 1970, as the times of the points. */
  until: number
  at: readonly number[]
}

/** A record of a few points is not stretched over the whole width. */
const FEWEST_STEPS = 60
/** A record that is nearly whole is shown as such, so that its left end stands still. */
const NEARLY_COMPLETE = 0.8
/**
 * A momentary peak must not flatten a whole day: values this far above nearly all others are cut
 * off.
 */
const NEARLY_ALL = 0.99
const FAR_ABOVE = 2
const FEWEST_VALUES = 5

/** Start and end, in seconds since 1970: of a young server's record, from its beginning. */
export function spanOf({ at, spanSeconds, stepSeconds, until }: Recorded): [number, number] {
  const end = until / 1000
  const recorded = end - (at[0] ?? until) / 1000
  const isComplete = recorded > spanSeconds * NEARLY_COMPLETE
  const visible = isComplete ? spanSeconds : Math.max(recorded, stepSeconds * FEWEST_STEPS)
  return [end - Math.min(visible, spanSeconds), end]
}

/** The upper end of the y axis; `peak` if that is cut off. */
export function heightOf(values: readonly (number | null | undefined)[]): {
  top: number
  peak?: number
} {
  const known = values.filter((value) => value != null).sort((a, b) => a - b)
  const peak = known.at(-1) ?? 0
  // Of few values, too, a single one is no reason.
  const last = known.length < FEWEST_VALUES ? known.length - 1 : known.length - 2
  const usual = known[Math.min(last, Math.floor(known.length * NEARLY_ALL))] ?? peak
  const isCut = usual > 0 && peak > usual * FAR_ABOVE
  return isCut ? { top: usual * FAR_ABOVE, peak } : { top: peak * 1.1 || 1 }
}

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** Steps between marks of a time axis, in milliseconds: what people count in, not decimal fractions of minutes. */
export const DURATION_STEPS: readonly number[] = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_440].map((count) => count * MINUTE),
]
