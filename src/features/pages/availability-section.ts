// The status page's bar of the last thirty days, and the latest incidents, as of the page's rendering. Days
// and times are UTC, since the reader's time zone is unknown.

import { duration, moment, percent } from '../../base/util/format.ts'
import { type Html, html } from '../../http/server/html.ts'
import type { Availability, Day, Incident } from './availability.ts'
import type { VisitorFigures } from './visitor-figures.ts'

const MAX_INCIDENTS = 5

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

export function availabilitySection(
  { days, incidents }: Availability,
  { upShare, upSpan, since }: VisitorFigures['texts'],
): Html {
  const more = incidents.length - MAX_INCIDENTS
  return html`<section aria-labelledby="availability-title">
<div class="heading"><h2 id="availability-title">The last 30 days</h2><strong>${upShare} ${upSpan}</strong></div>
<ol class="days">${days.map(dayBar)}</ol>
${incidents.length === 0 && html`<p class="aside">${since}</p>`}
${incidents.length > 0 && html`<ul class="incidents">${incidents.slice(0, MAX_INCIDENTS).map(incidentItem)}</ul>`}
${more > 0 && html`<p class="aside">And ${more} earlier.</p>`}
</section>`
}

function dayBar({ at, level, upShare, troubledMs }: Day): Html {
  const trouble = troubledMs > 0 ? `, trouble for ${duration(troubledMs)}` : ''
  const text = level === 'none' ? 'no data' : `${share(upShare)}${trouble}`
  const words = `${day.format(at)}: ${text}`
  return html`<li class="${level}" title="${words}"><span class="unseen">${words}</span></li>`
}

function incidentItem({ from, to, level, title }: Incident): Html {
  const iso = new Date(from).toISOString()
  return html`<li class="${level}"><strong>${title}</strong> for ${duration(to - from)}, <time datetime="${iso}">${moment(from)}</time></li>`
}

function share(value: number | undefined): string {
  return value === undefined ? 'no data yet' : `up ${percent(value)}`
}
