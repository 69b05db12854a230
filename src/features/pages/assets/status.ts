// Keeps the status page up to date: figures arrive by server-sent events, or by polling where those are
// unavailable. A hidden tab requests nothing.

import { enableCopying } from './copy.ts'
import { createStateView, type Finding, showTexts } from './findings.ts'
import { createPresence } from './presence.ts'

type Figures = { texts: Record<string, string>; state: Finding[] }

/** For when the server has no room for another listener. */
const POLL_MS = 10_000
/** A stalled server does not break connections, so after this silence it is polled. */
const SILENCE_MS = 20_000
const ANSWER_WITHIN_MS = 8_000

const presence = createPresence('h1')
const state = createStateView(['h1', 'h2'])
let source: EventSource | undefined
let pollTimer: ReturnType<typeof setInterval> | undefined
let watchTimer: ReturnType<typeof setInterval> | undefined

enableCopying()
document.addEventListener('visibilitychange', () => (document.hidden ? rest() : begin()))
begin()

function begin(): void {
  listen()
  clearInterval(watchTimer)
  watchTimer = setInterval(() => {
    if (Date.now() - presence.heardAt > SILENCE_MS) void ask()
  }, SILENCE_MS / 2)
}

function rest(): void {
  clearInterval(pollTimer)
  clearInterval(watchTimer)
  presence.rest()
  source?.close()
  source = undefined
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

/** Browsers do not retry a listener that was refused. */
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

function show(figures: Figures): void {
  showTexts(figures.texts)
  state.show(figures.state)
}
