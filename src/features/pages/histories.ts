// A ring's history as JSON for the charts, with the incidents to mark, read again once there may be more.

import {
  HISTORY_RINGS,
  HISTORY_SERIES,
  type HistoryRing,
  readHistory,
} from '../../data/store/counts/history.ts'
import type { Db } from '../../data/store/db.ts'
import { type Availability, readAvailability } from './availability.ts'
import { diskForecast, type Forecast } from './forecast.ts'
import { type LagOfDay, readLagOfDay } from './lag-section.ts'
import { thinned } from './thin-history.ts'

type Dependencies = {
  db: Db
  /** Milliseconds since 1970. */
  now?: (() => number) | undefined
}

const FORECAST_EVERY_MS = 60_000
const AVAILABILITY_EVERY_MS = 30_000
const LAG_EVERY_MS = 60_000
/** Points per chart, about as many as it has pixels. */
const MAX_POINTS = 720

/** Cached, since it reads thousands of rows and changes slowly. */
export function createForecast({ db, now = Date.now }: Dependencies): () => Forecast | undefined {
  const read = createMemo(now, () => diskForecast(db, now()))
  return () => read('disk', FORECAST_EVERY_MS)
}

export function createAvailability({ db, now = Date.now }: Dependencies): () => Availability {
  const read = createMemo(now, () => readAvailability(db, now()))
  return () => read('availability', AVAILABILITY_EVERY_MS)
}

export function createLagOfDay({ db, now = Date.now }: Dependencies): () => LagOfDay {
  const read = createMemo(now, () => readLagOfDay(db, now()))
  return () => read('lag', LAG_EVERY_MS)
}

/** @returns JSON; undefined if there is no ring of that name */
export function createHistories(
  parts: Dependencies & { availability: () => Availability },
): (name: string) => string | undefined {
  const { now = Date.now, availability } = parts
  const read = createMemo(now, (name) => {
    const ring = HISTORY_RINGS.find((item) => item.name === name)!
    return historyJson(parts.db, ring, { now: now(), availability: availability() })
  })
  return (name) => {
    const ring = HISTORY_RINGS.find((item) => item.name === name)
    return ring && read(name, (ring.stepSeconds * 1000) / 4)
  }
}

function historyJson(
  db: Db,
  ring: HistoryRing,
  { now, availability }: { now: number; availability: Availability },
): string {
  const spanSeconds = ring.stepSeconds * ring.slots
  const span = { stepSeconds: ring.stepSeconds, spanSeconds, until: now }
  const incidents = availability.incidents.filter(({ to }) => to > now - spanSeconds * 1000)
  const points = thinned(readHistory(db, ring, { now, series: HISTORY_SERIES }), MAX_POINTS)
  return JSON.stringify({ ...span, incidents, ...points })
}

/** Caches results by name until they are too old. */
function createMemo<T>(now: () => number, make: (name: string) => T) {
  const cache = new Map<string, { value: T; at: number }>()
  return (name: string, maxAgeMs: number): T => {
    const known = cache.get(name)
    if (known && now() - known.at < maxAgeMs) return known.value
    const made = { value: make(name), at: now() }
    cache.set(name, made)
    return made.value
  }
}
