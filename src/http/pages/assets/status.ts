// Keeps the status page true: figures by server-sent events, charts by asking again now and then. While
// nobody looks at the tab it asks for nothing.

import { createCharts } from './charts.ts'
import { enableCopying } from './copy.ts'
import { byId, choice, element } from './dom.ts'
import { showNewcomers } from './members.ts'
import { createPresence } from './presence.ts'

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
/** A server that stands still breaks no connection: after so long without news it is asked. */
const SILENCE_MS = 20_000
const ANSWER_WITHIN_MS = 8_000

const charts = createCharts()
const presence = createPresence()
let ring = 'hour'
let chartsTimer: ReturnType<typeof setInterval> | undefined
let source: EventSource | undefined
let pollTimer: ReturnType<typeof setInterval> | undefined
let watchTimer: ReturnType<typeof setInterval> | undefined
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
  clearInterval(watchTimer)
  watchTimer = setInterval(() => {
    if (Date.now() - presence.heardAt > SILENCE_MS) void ask()
  }, SILENCE_MS / 2)
}

function rest(): void {
  clearInterval(chartsTimer)
  clearInterval(pollTimer)
  clearInterval(watchTimer)
  presence.rest()
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
  source.addEventListener('figures', ({ data }) => {
    presence.heard()
    show(JSON.parse(data) as Figures)
  })
  source.addEventListener('open', presence.heard)
  source.addEventListener('error', () => {
    presence.lost()
    if (source?.readyState === EventSource.CLOSED) poll()
  })
}

/** A browser gives up on a listener that was refused. */
function poll(): void {
  clearInterval(pollTimer)
  pollTimer = setInterval(() => void ask(), POLL_MS)
}

async function ask(): Promise<void> {
  try {
    const response = await fetch('/page/figures', { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
    show((await response.json()) as Figures)
    presence.heard()
  } catch {
    presence.lost()
  }
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
