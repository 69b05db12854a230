// The status page before any script has run: the condition and since when, how to point a client here, and
// the last thirty days. The script keeps the figures current; the operator's data is behind the token.

import { type Html, html } from '../../http/server/html.ts'
import type { Assets } from './assets.ts'
import type { Availability } from './availability.ts'
import { availabilitySection } from './availability-section.ts'
import { documentOf } from './document.ts'
import { connectSection, type Us } from './invites/connect-section.ts'
import { type LagOfDay, lagSection } from './lag-section.ts'
import type { Finding } from './state-words.ts'
import type { VisitorFigureName, VisitorFigures } from './visitor-figures.ts'

type Presented = {
  figures: VisitorFigures
  availability: Availability
  lag: LagOfDay
  /** Of features. */
  forms: readonly Html[]
}

export function statusDocument(
  assets: Assets,
  us: Us,
  { figures, availability, lag, forms }: Presented,
): string {
  const main = html`${hero(us, figures)}
${forms}
${connectSection(us)}
${lagSection(lag)}
${availabilitySection(availability, figures)}`
  const title = `${us.hostname} · Slipstream`
  return documentOf(assets, { title, current: 'status', script: 'status.ts', main })
}

function hero({ hostname }: Us, figures: VisitorFigures): Html {
  return html`<section class="hero" aria-label="State">
<p class="eyebrow">${hostname}</p>
<div id="state">${figures.state.map(finding)}</div>
<p class="unseen" id="announcement" aria-live="polite"></p>
<dl class="figures">
${figureOf(figures, 'lag', 'behind the network')}
${figureOf(figures, 'answerP50', 'typical answer, last hour')}
${figureOf(figures, 'upShare', changing(figures, 'upSpan'))}
${figureOf(figures, 'quietFor', changing(figures, 'quietLabel'))}
</dl>
<p class="aside" id="connection" data-figure="since">${figures.texts.since}</p>
</section>`
}

function finding({ level, title, text }: Finding, at: number): Html {
  const heading = at === 0 ? html`<h1>${title}</h1>` : html`<h2>${title}</h2>`
  return html`<article class="finding ${level}">${heading}<p>${text}</p></article>`
}

function changing({ texts }: VisitorFigures, name: VisitorFigureName): Html {
  return html`<span data-figure="${name}">${texts[name]}</span>`
}

function figureOf({ texts }: VisitorFigures, name: VisitorFigureName, label: string | Html): Html {
  return html`<div><dt>${label}</dt><dd data-figure="${name}">${texts[name]}</dd></div>`
}
