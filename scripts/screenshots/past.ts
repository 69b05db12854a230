// Thirty days of plausible history: more reading in the evening than at night, events that follow the sun,
// growing memory and database, and a network outage of half an hour one morning.

import { DAY_MS, MINUTE_MS } from '../../src/base/util/durations.ts'
import {
  HISTORY_RINGS,
  type HistorySample,
  putHistory,
} from '../../src/data/store/counts/history.ts'
import { openWriter } from '../../src/data/store/db.ts'
import { createRandom } from '../../test/support/random.ts'

/** Written through the regular interface, at the interval of each ring. */
export function writePast(dataDir: string, now: number): void {
  const db = openWriter(dataDir)
  const random = createRandom(11)
  const write = db.transaction((from: number, to: number, stepMs: number) => {
    for (let at = from; at < to; at += stepMs) putHistory(db, at, sampleAt(at, now, random.next))
  })
  const [hour, day, month] = HISTORY_RINGS.map(
    ({ stepSeconds, slots }) => stepSeconds * slots * 1_000,
  )
  write(now - month!, now - day!, 10 * MINUTE_MS)
  write(now - day!, now - hour!, MINUTE_MS)
  write(now - hour!, now - 10_000, 10_000)
  db.close()
}

function sampleAt(at: number, now: number, random: () => number): HistorySample {
  const age = (now - at) / DAY_MS
  const daily = Math.sin(((at % DAY_MS) / DAY_MS) * 2 * Math.PI - 2.2)
  const noise = (spread: number) => 1 + (random() - 0.5) * spread
  const isAway = age > 0.36 && age < 0.38
  const requests = (7 + 5.2 * daily) * noise(0.3)
  return {
    events_s: isAway ? 0 : (84 + 26 * daily) * noise(0.12),
    lag_ms: isAway ? 900_000 : (260 + 60 * daily) * noise(0.5),
    visible_ms: 14 * noise(0.6),
    requests_s: requests,
    failures_s: 0,
    answer_p50_ms: (0.9 + requests * 0.04) * noise(0.25),
    answer_p99_ms: (4.2 + requests * 0.5) * noise(0.5),
    memory_bytes: (455 - age * 1.4 + 14 * daily) * 1e6 * noise(0.02),
    database_bytes: (60 - age * 1.1) * 1e6,
    disk_free_bytes: (74 + age * 0.21) * 1e9,
  }
}
