// The explore page's first tab: state, figures, charts, newcomers and the overview, refreshed while visible.
// Everything is requested with the operator's token, so nothing comes over an event stream that the browser
// opens itself.

import { createCharts } from './charts.ts'
import { byId, choice } from './dom.ts'
import { createStateView, type Finding, showTexts } from './findings.ts'
import { showNewcomers } from './members.ts'
import { AnsweredError, askAsOperator, operatorToken, RefusedError } from './operator.ts'
import { showMonth, showOverview } from './overview.ts'
import { createPresence } from './presence.ts'

type Figures = {
  texts: Record<string, string>
  state: Finding[]
  coldStarts: { count: number; percent: number; text: string }
  archive: { isShown: boolean; percent: number; text: string }
}

const FIGURES_EVERY_MS = 5_000
const OVERVIEW_EVERY_MS = 60_000
const MONTH_EVERY_MS = 600_000
const CHARTS_EVERY_MS: Record<string, number> = { hour: 10_000, day: 60_000, month: 600_000 }

/** @param refused - called if the token is no longer the operator's */
export function createServerTab(refused: () => void) {
  const charts = createCharts((ring) => askAsOperator(`history/${ring}`))
  const presence = createPresence('h2')
  const state = createStateView(['h2', 'h3'])
  let timers: ReturnType<typeof setInterval>[] = []
  let isOpen = false
  let ring = 'hour'

  /** Any answer, even an error, shows that the server is up. */
  async function ask<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await work()
      presence.heard()
      return answer
    } catch (error) {
      if (error instanceof RefusedError) refused()
      else if (error instanceof AnsweredError) presence.heard()
      else if (isOpen) presence.lost()
      return undefined
    }
  }

  async function look(): Promise<void> {
    const figures = await ask(() => askAsOperator<Figures>('figures'))
    if (!figures || operatorToken() === undefined) return
    state.show(figures.state)
    showFigures(figures)
  }

  const drawCharts = () => void ask(() => charts.load(ring))
  const lookOver = () => void ask(showOverview)
  const lookBack = () => void ask(showMonth)

  function begin(): void {
    rest()
    if (!isOpen || document.hidden || operatorToken() === undefined) return
    void look()
    lookOver()
    lookBack()
    drawCharts()
    timers = every(
      [look, FIGURES_EVERY_MS],
      [lookOver, OVERVIEW_EVERY_MS],
      [lookBack, MONTH_EVERY_MS],
      [drawCharts, CHARTS_EVERY_MS[ring]!],
    )
  }

  function rest(): void {
    for (const timer of timers.splice(0)) clearInterval(timer)
    presence.rest()
  }

  choice(document.querySelector('.history')!, 'ring', (chosen) => {
    ring = chosen
    begin()
  })
  byId('overview-again').addEventListener('click', begin)
  onChangesAround(begin, charts.redraw)

  return {
    open(isIt: boolean): void {
      isOpen = isIt
      begin()
    },
    clear(): void {
      rest()
      charts.clear()
      state.clear()
      forgetFigures()
    },
  }
}

function every(...what: [work: () => unknown, ms: number][]) {
  return what.map(([work, ms]) => setInterval(() => void work(), ms))
}

/** Clears data that only the operator may see. */
function forgetFigures(): void {
  showTexts({})
  for (const id of ['overview', 'month', 'newcomer-list']) byId(id).replaceChildren()
  for (const id of ['archive', 'month-section', 'newcomers']) byId(id).hidden = true
}

/** Watches for changes of colours and of the page's visibility. */
function onChangesAround(looked: () => void, recoloured: () => void): void {
  addEventListener('themechange', recoloured)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recoloured)
  document.addEventListener('visibilitychange', looked)
}

function showFigures({ texts, coldStarts, archive }: Figures): void {
  showTexts(texts)
  const isSomebodyNew = coldStarts.count > 0
  showBar(byId('archive'), archive.isShown, archive)
  showBar(byId('newcomers'), isSomebodyNew, coldStarts)
  if (isSomebodyNew) void showNewcomers(byId('newcomer-list'))
}

function showBar(
  section: HTMLElement,
  isVisible: boolean,
  { percent, text }: { percent: number; text: string },
): void {
  section.hidden = !isVisible
  section.querySelector('p')!.textContent = text
  section.querySelector('progress')!.value = percent
}
