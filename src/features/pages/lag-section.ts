// The status page's line of the last 24 hours: how far the server was behind the network, as of the page's rendering.
// The scale is logarithmic, since a usual second and a bad hour must both be seen.

import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/util/durations.ts'
import { duration } from '../../base/util/format.ts'
import { HISTORY_RINGS, type History, readHistory } from '../../data/store/counts/history.ts'
import type { Db } from '../../data/store/db.ts'
import { type Html, html } from '../../http/server/html.ts'

export type LagOfDay = History<'lag_ms'> & { until: number }

const DAY_RING = HISTORY_RINGS.find(({ name }) => name === 'day')!
const SPAN_MS = 24 * HOUR_MS
const WIDTH = 1_000
const HEIGHT = 100
/** The lower and the upper edge. */
const [LEAST, MOST] = [0.1 * SECOND_MS, 2 * HOUR_MS]
const LINES: [ms: number, words: string][] = [
  [SECOND_MS, '1 s'],
  [MINUTE_MS, '1 min'],
  [HOUR_MS, '1 h'],
]
/** Fewer say nothing of a day. */
const FEWEST = 10
/** A longer gap between samples is drawn as one. */
const MAX_STEPS = 2.5

export function readLagOfDay(db: Db, now: number): LagOfDay {
  return { ...readHistory(db, DAY_RING, { now, series: ['lag_ms'] }), until: now }
}

/** Empty for a server that has just begun. */
export function lagSection({ at, series, until }: LagOfDay): Html | undefined {
  const known = series.lag_ms.filter((ms) => ms !== null).sort((a, b) => a - b)
  if (known.length < FEWEST) return undefined
  const usual = duration(known[Math.floor(known.length / 2)])
  const words = `Usually ${usual} behind the network, at most ${duration(known.at(-1))}.`
  const paths = stretchesOf(at, series.lag_ms).map((points) => pathOf(points, until))
  return html`<section aria-labelledby="lag-title">
<div class="heading"><h2 id="lag-title">The last 24 hours</h2><strong>${usual} behind, usually</strong></div>
<svg class="lag" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${words}">
${LINES.map(([ms]) => html`<path class="line" d="M0 ${yOf(ms)}H${WIDTH}"></path>`)}
${paths.map((d) => html`<path class="curve" d="${d}"></path>`)}
</svg>
<p class="aside">${words} The lines are at ${LINES.map(([, text]) => text).join(', ')}; where the curve breaks, the server did not run or had no connection.</p>
</section>`
}

type Point = { at: number; ms: number }

/** Split where nothing was known for a while. */
function stretchesOf(at: readonly number[], values: readonly (number | null)[]): Point[][] {
  const stretches: Point[][] = []
  let last = -Infinity
  for (const [i, ms] of values.entries()) {
    if (ms === null) continue
    if (at[i]! - last > MAX_STEPS * DAY_RING.stepSeconds * SECOND_MS) stretches.push([])
    stretches.at(-1)!.push({ at: at[i]!, ms })
    last = at[i]!
  }
  return stretches
}

function pathOf(points: readonly Point[], until: number): string {
  const positions = points.map(({ at, ms }) => `${xOf(at, until)} ${yOf(ms)}`)
  // A single sample is a mark, too.
  return `M${positions.join('L')}${positions.length === 1 ? 'h1' : ''}`
}

function xOf(at: number, until: number): number {
  return Math.round(WIDTH * (1 - (until - at) / SPAN_MS) * 10) / 10
}

function yOf(ms: number): number {
  const share = Math.log(ms / LEAST) / Math.log(MOST / LEAST)
  return Math.round(HEIGHT * (1 - Math.min(1, Math.max(0, share))) * 10) / 10
}
