// Thins a history for a chart: averages neighbouring points, and rounds numbers to what a chart can show.

import {
  HISTORY_SERIES,
  type History,
  type HistorySeries,
} from '../../data/store/counts/history.ts'

const DIGITS = 5

export function thinned({ at, series }: History, maxPoints: number): History {
  const size = Math.max(1, Math.ceil(at.length / maxPoints))
  const starts = Array.from({ length: Math.ceil(at.length / size) }, (_, i) => i * size)
  const means = HISTORY_SERIES.map((name): [HistorySeries, (number | null)[]] => [
    name,
    starts.map((start) => meanOf(series[name].slice(start, start + size))),
  ])
  return {
    at: starts.map((start) => at[start]!),
    series: Object.fromEntries(means) as History['series'],
  }
}

/** Mean of the known values; null if there are none. */
function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return null
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length
  return Number(mean.toPrecision(DIGITS))
}
