// Keeps the status page true: figures by server-sent events, charts by asking again now and then. While
// nobody looks at the tab it asks for nothing.

import { createCharts } from './charts.ts'
import { enableCopying } from './copy.ts'
import { byId, choice, element } from './dom.ts'
import { showNewcomers } from './members.ts'

type Finding = { level: string; title: string; text: string }
type Figures = {
  texts: Record<string, string>
  state: Finding[]
  coldStarts: { count: number; percent: number; text: string }
  archive: { isShown: boolean; percent: number; text: string }
}

const CHARTS_EVERY_MS: Record<string, number> = { hour: 10_000, day: 60_000, month: 600_000 }
const NEWCOMERS_EVERY_MS = 5_000
/** Where there is no room for another listener. */
const POLL_MS = 10_000

const charts = createCharts()
let ring = 'hour'
let chartsTimer: ReturnType<typeof setInterval> | undefined
let source: EventSource | undefined
let pollTimer: ReturnType<typeof setInterval> | undefined
let shownState = ''
let newcomersAt = 0

enableCopying()
choice(document.querySelector('.history')!, 'ring', (chosen) => {
  ring = chosen
  keepCharts()
})
addEventListener('themechange', () => charts.redraw())
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.redraw())
document.addEventListener('visibilitychange', () => (document.hidden ? rest() : begin()))
begin()

function begin(): void {
  keepCharts()
  listen()
}

function rest(): void {
  clearInterval(chartsTimer)
  clearInterval(pollTimer)
  source?.close()
  source = undefined
}

function keepCharts(): void {
  clearInterval(chartsTimer)
  const load = () => void charts.load(ring).catch(() => undefined)
  load()
  chartsTimer = setInterval(load, CHARTS_EVERY_MS[ring])
}

function listen(): void {
  source?.close()
  source = new EventSource('/page/live')
  source.addEventListener('figures', ({ data }) => show(JSON.parse(data) as Figures))
  source.addEventListener('open', () => tellConnection(true))
  source.addEventListener('error', () => {
    tellConnection(false)
    if (source?.readyState === EventSource.CLOSED) poll()
  })
}

/** A browser gives up on a listener that was refused. */
function poll(): void {
  clearInterval(pollTimer)
  pollTimer = setInterval(() => {
    fetch('/page/figures')
      .then(async (response) => {
        show((await response.json()) as Figures)
        tellConnection(true)
      })
      .catch(() => tellConnection(false))
  }, POLL_MS)
}

function show({ texts, state, coldStarts, archive }: Figures): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-figure]')) {
    const text = texts[place.dataset['figure']!] ?? ''
    if ('held' in place.dataset) place.dataset['latest'] = text
    else if (place.textContent !== text) place.textContent = text
  }
  showState(state)
  showColdStarts(coldStarts)
  showArchive(archive)
}

/** Read out only where something else is the matter than before, not every second. */
function showState(state: Finding[]): void {
  const asText = JSON.stringify(state.map(({ level, title }) => [level, title]))
  if (asText === shownState) {
    for (const [i, { text }] of state.entries()) {
      const place = byId('state').children[i]?.querySelector('p')
      if (place && place.textContent !== text) place.textContent = text
    }
    return
  }
  if (shownState !== '') byId('announcement').textContent = state[0]?.title ?? ''
  shownState = asText
  byId('state').replaceChildren(
    ...state.map(({ level, title, text }, i) =>
      element(
        'article',
        { class: `finding ${level}` },
        element(i === 0 ? 'h1' : 'h2', {}, title),
        element('p', {}, text),
      ),
    ),
  )
}

function showColdStarts({ count, percent, text }: Figures['coldStarts']): void {
  const section = byId('newcomers')
  section.hidden = count === 0
  if (count === 0) return
  section.querySelector('[data-newcomers]')!.textContent = text
  section.querySelector('progress')!.value = percent
  if (Date.now() - newcomersAt < NEWCOMERS_EVERY_MS) return
  newcomersAt = Date.now()
  void showNewcomers(byId('newcomer-list'))
}

function showArchive({ isShown, percent, text }: Figures['archive']): void {
  const section = byId('archive')
  section.hidden = !isShown
  section.querySelector('[data-archive]')!.textContent = text
  section.querySelector('progress')!.value = percent
}

function tellConnection(isThere: boolean): void {
  document.body.toggleAttribute('data-away', !isThere)
  const note = document.querySelector('#connection .away')
  if (isThere) note?.remove()
  else if (!note) {
    byId('connection').append(
      element('span', { class: 'away', role: 'status' }, ' · this page is not being updated'),
    )
  }
}
