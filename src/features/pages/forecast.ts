// Predicts when the disk will be full: a least-squares line through the free space, over the longest span
// that the history holds.

import { DAY_MS, HOUR_MS } from '../../base/util/durations.ts'
import { HISTORY_RINGS, readHistory } from '../../data/store/counts/history.ts'
import type { Db } from '../../data/store/db.ts'

/** Shorter spans are meaningless: after a start, caches and log copies fill up. */
const LEAST_SPAN_MS = HOUR_MS
const LEAST_SAMPLES = 20

export type Forecast = {
  /** Until no space is free; undefined unless free space shrinks. */
  daysLeft: number | undefined
  /** Bytes used per day; negative if space is being freed. */
  bytesADay: number
}

/** @returns undefined while too little is known. */
export function diskForecast(db: Db, now: number): Forecast | undefined {
  for (const ring of HISTORY_RINGS.toReversed()) {
    const { at, series } = readHistory(db, ring, { now, series: ['disk_free_bytes'] })
    const forecast = forecastOf(at, series.disk_free_bytes)
    if (forecast) return forecast
  }
  return undefined
}

/** @param at - milliseconds, ascending */
function forecastOf(at: readonly number[], free: readonly (number | null)[]): Forecast | undefined {
  const points = at.flatMap((x, i) => {
    const y = free[i]
    return y == null ? [] : [{ x, y }]
  })
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return undefined
  if (points.length < LEAST_SAMPLES || last.x - first.x < LEAST_SPAN_MS) return undefined
  const bytesADay = -slopeOf(points) * DAY_MS
  return { daysLeft: bytesADay > 0 ? last.y / bytesADay : undefined, bytesADay }
}

function slopeOf(points: readonly { x: number; y: number }[]): number {
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / points.length
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / points.length
  let covariance = 0
  let variance = 0
  for (const { x, y } of points) {
    covariance += (x - meanX) * (y - meanY)
    variance += (x - meanX) ** 2
  }
  return covariance / variance
}
