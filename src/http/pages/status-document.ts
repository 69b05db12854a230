// The status page as it is before any script ran: the state in words, the figures of this moment, how
// to point a client here. The script goes on from there, and draws the charts.

import type { Assets } from './assets.ts'
import type { Availability } from './availability.ts'
import { availabilitySection } from './availability-section.ts'
import { connectSection, type Us } from './connect-section.ts'
import { documentOf } from './document.ts'
import type { FigureName, Figures } from './figures.ts'
import { type Html, html } from './html.ts'
import type { Finding } from './state-words.ts'

type Chart = {
  title: string
  /** Columns of the history, and what each is called where there are several. */
  series: string[]
  names?: string[]
  /** How the script writes numbers beside the axis. */
  unit: 'count' | 'ms' | 'bytes'
  /** What stands beside the title: the latest. */
  figure: FigureName
}

const CHARTS: Chart[] = [
  { title: 'Events a second', series: ['events_s'], unit: 'count', figure: 'events' },
  { title: 'Behind the network', series: ['lag_ms'], unit: 'ms', figure: 'lag' },
  { title: 'Requests a second', series: ['requests_s'], unit: 'count', figure: 'requests' },
  {
    title: 'Time of an answer',
    series: ['answer_p50_ms', 'answer_p99_ms'],
    unit: 'ms',
    figure: 'answerP50',
    names: ['typical', 'slowest 1 %'],
  },
  { title: 'Memory', series: ['memory_bytes'], unit: 'bytes', figure: 'memory' },
  { title: 'Database', series: ['database_bytes'], unit: 'bytes', figure: 'database' },
]

type Shown = { figures: Figures; availability: Availability }

export function statusDocument(assets: Assets, us: Us, { figures, availability }: Shown): string {
  const main = html`${hero(us, figures)}
${archive(figures)}
${newcomers(figures)}
${connectSection(us)}
${availabilitySection(availability)}
${history(figures)}
${holdings(figures)}`
  const title = `${us.hostname} · Slipstream`
  return documentOf(assets, { title, current: 'status', script: 'status.ts', main })
}

function hero({ hostname }: Us, figures: Figures): Html {
  return html`<section class="hero" aria-label="State">
<p class="eyebrow">${hostname}</p>
<div id="state">${figures.state.map(finding)}</div>
<p class="unseen" id="announcement" aria-live="polite"></p>
<dl class="figures">
${figureOf(figures, 'events', 'events a second')}
${figureOf(figures, 'lag', 'behind the network')}
${figureOf(figures, 'requests', 'requests a second')}
${figureOf(figures, 'answerP50', 'typical answer')}
</dl>
<p class="aside" id="connection">Reading <span data-figure="host">${figures.texts.host}</span>: <span data-figure="quiet">${figures.texts.quiet}</span></p>
</section>`
}

function finding({ level, title, text }: Finding, at: number): Html {
  const heading = at === 0 ? html`<h1>${title}</h1>` : html`<h2>${title}</h2>`
  return html`<article class="finding ${level}">${heading}<p>${text}</p></article>`
}

function archive({ archive }: Figures): Html {
  return html`<section id="archive" aria-labelledby="archive-title"${hiddenIf(!archive.isShown)}>
<h2 id="archive-title">The archive</h2>
<p data-archive>${archive.text}</p>
<progress max="100" value="${archive.percent}" aria-labelledby="archive-title"></progress>
</section>`
}

function newcomers({ coldStarts }: Figures): Html {
  return html`<section id="newcomers" aria-labelledby="newcomers-title"${hiddenIf(coldStarts.count === 0)}>
<h2 id="newcomers-title">Newcomers</h2>
<p data-newcomers>${coldStarts.text}</p>
<progress max="100" value="${coldStarts.percent}" aria-labelledby="newcomers-title"></progress>
<div id="newcomer-list"></div>
</section>`
}

function hiddenIf(isHidden: boolean): Html | false {
  return isHidden && html` hidden`
}

function history(figures: Figures): Html {
  return html`<section class="history" aria-labelledby="history-title">
<div class="heading"><h2 id="history-title">History</h2>
<div class="choice" role="group" aria-label="Span of the charts">
<button type="button" data-ring="hour" aria-pressed="true">Hour</button>
<button type="button" data-ring="day" aria-pressed="false">Day</button>
<button type="button" data-ring="month" aria-pressed="false">30 days</button>
</div></div>
<div class="charts">${CHARTS.map((chart) => chartCard(figures, chart))}</div>
<noscript><p class="aside">The charts need JavaScript; everything else on this page does not.</p></noscript>
</section>`
}

function chartCard({ texts }: Figures, { title, series, names = [], unit, figure }: Chart): Html {
  return html`<figure class="chart-card">
<figcaption><span>${title}${names.map((name, i) => html` <small class="series-${i + 1}">${name}</small>`)} <small class="peak"></small></span><strong data-figure="${figure}">${texts[figure]}</strong></figcaption>
<div class="chart" role="img" aria-label="${title}" data-title="${title}" data-series="${series.join(' ')}" data-unit="${unit}"></div>
</figure>`
}

function holdings(figures: Figures): Html {
  return html`<section aria-labelledby="holdings-title">
<h2 id="holdings-title">What is here</h2>
<dl class="holdings">
${figureOf(figures, 'members', 'members')}
${figureOf(figures, 'timelines', 'timelines in memory')}
${figureOf(figures, 'fanOut', 'timelines a post goes to')}
${figureOf(figures, 'writesSaved', 'timeline writes spared by the limit')}
${figureOf(figures, 'actors', 'accounts known')}
${figureOf(figures, 'follows', 'follows in the graph')}
${figureOf(figures, 'openGaps', 'gaps being mended')}
${figureOf(figures, 'jobs', 'jobs waiting')}
${figureOf(figures, 'visible', 'arrival to visible')}
${figureOf(figures, 'answerP99', 'slowest 1 % of answers')}
${figureOf(figures, 'memory', 'memory')}
${figureOf(figures, 'database', 'database')}
${figureOf(figures, 'databaseLog', 'its write-ahead log')}
${figureOf(figures, 'diskFree', 'disk free')}
${figureOf(figures, 'diskForecast', 'at this pace')}
</dl>
</section>`
}

function figureOf({ texts }: Figures, name: FigureName, label: string): Html {
  return html`<div><dt>${label}</dt><dd data-figure="${name}">${texts[name]}</dd></div>`
}
