// The explore page's first tab before the operator has logged in: places for the state with advice, the
// current figures, the charts and an overview. Scripts fill them with data that only the token opens.

import { type Html, html } from '../../http/server/html.ts'
import type { FigureName } from './figures.ts'

type Chart = {
  title: string
  /** Columns of the history, and the name of each if there are several. */
  series: string[]
  names?: string[]
  /** How the script formats numbers on the axis. */
  unit: 'count' | 'ms' | 'bytes'
  /** The latest value, beside the title. */
  figure: FigureName
}

const CHARTS: Chart[] = [
  { title: 'Events a second', series: ['events_s'], unit: 'count', figure: 'events' },
  { title: 'Behind the network', series: ['lag_ms'], unit: 'ms', figure: 'lag' },
  { title: 'Requests a second', series: ['requests_s'], unit: 'count', figure: 'requests' },
  {
    title: 'Response time',
    series: ['answer_p50_ms', 'answer_p99_ms'],
    unit: 'ms',
    figure: 'answerP50',
    names: ['typical', 'slowest 1 %'],
  },
  { title: 'Memory', series: ['memory_bytes'], unit: 'bytes', figure: 'memory' },
  { title: 'Database', series: ['database_bytes'], unit: 'bytes', figure: 'database' },
]

export function serverPanel(): Html {
  return html`<section role="tabpanel" id="overview-panel" aria-labelledby="overview-tab">
<h2 class="unseen">This server</h2>
<div id="state"></div>
<p class="unseen" id="announcement" aria-live="polite"></p>
<dl class="figures">
${figureOf('events', 'events a second')}
${figureOf('lag', 'behind the network')}
${figureOf('requests', 'requests a second')}
${figureOf('answerP50', 'typical answer, last hour')}
</dl>
<p class="aside" id="connection">Reading <span data-figure="host">–</span>: <span data-figure="quiet">–</span></p>
<dl class="overview" id="overview"></dl>
<div class="row"><button type="button" class="quiet" id="overview-again">Refresh</button></div>
<section id="archive" aria-labelledby="archive-title" hidden>
<h2 id="archive-title">The archive</h2>
<p data-archive></p>
<progress max="100" value="0" aria-labelledby="archive-title"></progress>
</section>
<section id="newcomers" aria-labelledby="newcomers-title" hidden>
<h2 id="newcomers-title">Newcomers</h2>
<p data-newcomers></p>
<progress max="100" value="0" aria-labelledby="newcomers-title"></progress>
<div id="newcomer-list"></div>
</section>
${history()}
${month()}
${holdings()}
${traffic()}
</section>`
}

function history(): Html {
  return html`<section class="history" aria-labelledby="history-title">
<div class="heading"><h2 id="history-title">History</h2>
<div class="choice" role="group" aria-label="Span of the charts">
<button type="button" data-ring="hour" aria-pressed="true">Hour</button>
<button type="button" data-ring="day" aria-pressed="false">Day</button>
<button type="button" data-ring="month" aria-pressed="false">30 days</button>
</div></div>
<div class="charts">${CHARTS.map(chartCard)}</div>
</section>`
}

function month(): Html {
  return html`<section id="month-section" aria-labelledby="month-title" hidden>
<h2 id="month-title">The last thirty days</h2>
<dl class="overview" id="month"></dl>
</section>`
}

function chartCard({ title, series, names = [], unit, figure }: Chart): Html {
  return html`<figure class="chart-card">
<figcaption><span>${title}${names.map((name, i) => html` <small class="series-${i + 1}">${name}</small>`)} <small class="peak"></small></span><strong data-figure="${figure}">–</strong></figcaption>
<div class="chart" role="img" aria-label="${title}" data-title="${title}" data-series="${series.join(' ')}" data-unit="${unit}"></div>
</figure>`
}

function holdings(): Html {
  return html`<section aria-labelledby="holdings-title">
<h2 id="holdings-title">Data on this server</h2>
<dl class="holdings">
${figureOf('members', 'members')}
${figureOf('timelines', 'timelines in memory')}
${figureOf('fanOut', 'timelines a post goes to')}
${figureOf('actors', 'accounts known')}
${figureOf('follows', 'follows in the graph')}
${figureOf('openGaps', 'gaps being repaired')}
${figureOf('jobs', 'jobs waiting')}
${figureOf('visible', 'arrival to visible')}
${figureOf('answerP99', 'slowest 1 % of answers')}
${figureOf('memory', 'memory')}
${figureOf('database', 'database')}
${figureOf('databaseLog', 'its write-ahead log')}
${figureOf('diskFree', 'disk free')}
${figureOf('diskForecast', 'at this pace')}
${longFigureOf('writesSaved', 'timeline writes saved by the limit')}
</dl>
</section>`
}

function traffic(): Html {
  return html`<section aria-labelledby="traffic-title">
<h2 id="traffic-title">Traffic of the streams</h2>
<dl class="holdings">
${longFigureOf('traffic', 'at the pace of the last seven days')}
${longFigureOf('trafficReceived', 'received')}
${longFigureOf('trafficSources', 'by connection, seven days')}
${longFigureOf('trafficCollections', 'by collection, seven days')}
${longFigureOf('trafficLeftOut', 'left out to stay within the budget')}
${longFigureOf('trafficChoices', 'a month of 30 days with each choice')}
</dl>
</section>`
}

function longFigureOf(name: FigureName, label: string): Html {
  return html`<div class="long"><dt>${label}</dt><dd data-figure="${name}">–</dd></div>`
}

function figureOf(name: FigureName, label: string): Html {
  return html`<div><dt>${label}</dt><dd data-figure="${name}">–</dd></div>`
}
