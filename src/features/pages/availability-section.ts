// The status page's bar of the last thirty days, and the latest incidents, as of the page's rendering. Days
// and times are UTC, since the reader's time zone is unknown.

import { dayOf, duration, moment, percent } from '../../base/util/format.ts'
import { type Html, html } from '../../http/server/html.ts'
import type { Availability, Day, Incident } from './availability.ts'
import type { VisitorFigures } from './visitor-figures.ts'

const MAX_INCIDENTS = 5

export function availabilitySection(
  { days, incidents }: Availability,
  { texts: { upShare, upSpan, since }, hasReached }: VisitorFigures,
): Html {
  const more = incidents.length - MAX_INCIDENTS
  return html`<section aria-labelledby="availability-title">
<div class="heading"><h2 id="availability-title">The last 30 days</h2><strong>${upShare} ${upSpan}</strong></div>
<ol class="days">${days.map((day) => dayBar(day, hasReached))}</ol>
${incidents.length === 0 && html`<p class="aside">${since}</p>`}
${incidents.length > 0 && html`<ul class="incidents">${incidents.slice(0, MAX_INCIDENTS).map(incidentItem)}</ul>`}
${more > 0 && html`<p class="aside">And ${more} earlier.</p>`}
</section>`
}

function dayBar(item: Day, hasReached: boolean): Html {
  const words = `${dayOf(item.at)}: ${wordsOf(item, hasReached)}`
  const level = item.level === 'good' && !hasReached ? 'notice' : item.level
  return html`<li class="${level}" title="${words}"><span class="unseen">${words}</span></li>`
}

function wordsOf({ level, upShare, troubledMs }: Day, hasReached: boolean): string {
  if (level === 'none') return 'no data'
  if (!hasReached) return 'the network was not reached'
  return `${share(upShare)}${troubledMs > 0 ? `, ${duration(troubledMs)} with problems` : ''}`
}

function incidentItem({ from, to, level, title }: Incident): Html {
  const iso = new Date(from).toISOString()
  return html`<li class="${level}"><strong>${title}</strong> for ${duration(to - from)}, <time datetime="${iso}">${moment(from)}</time></li>`
}

function share(value: number | undefined): string {
  return value === undefined ? 'no data yet' : `up ${percent(value)}`
}
