// The first tab of the explore page: state, figures, charts, newcomers and the overview, kept true for as long as somebody
// looks at them. All of it is asked with the operator's token, so there is no stream that a browser opens by itself.

import { createCharts } from './charts.ts'
import { byId, choice } from './dom.ts'
import { createStateView, type Finding, showTexts } from './findings.ts'
import { showNewcomers } from './members.ts'
import { AnsweredError, askAsOperator, operatorToken, RefusedError } from './operator.ts'
import { showOverview } from './overview.ts'
import { createPresence } from './presence.ts'

type Figures = {
  texts: Record<string, string>
  state: Finding[]
  coldStarts: { count: number; percent: number; text: string }
  archive: { isShown: boolean; percent: number; text: string }
}

const FIGURES_EVERY_MS = 5_000
const OVERVIEW_EVERY_MS = 60_000
const CHARTS_EVERY_MS: Record<string, number> = { hour: 10_000, day: 60_000, month: 600_000 }

/** @param refused - the token is not the operator's any more */
export function createServerTab(refused: () => void) {
  const charts = createCharts((ring) => askAsOperator(`history/${ring}`))
  const presence = createPresence('h2')
  const state = createStateView(['h2', 'h3'])
  let timers: ReturnType<typeof setInterval>[] = []
  let isOpen = false
  let ring = 'hour'

  /** Whatever was answered, the server is there. */
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
    showTexts(figures.texts)
    state.show(figures.state)
    showProgress(figures)
  }

  const drawCharts = () => void ask(() => charts.load(ring))
  const lookOver = () => void ask(showOverview)

  function begin(): void {
    rest()
    if (!isOpen || document.hidden || operatorToken() === undefined) return
    void look()
    lookOver()
    drawCharts()
    timers = [
      setInterval(() => void look(), FIGURES_EVERY_MS),
      setInterval(lookOver, OVERVIEW_EVERY_MS),
      setInterval(drawCharts, CHARTS_EVERY_MS[ring]),
    ]
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
  addEventListener('themechange', () => charts.redraw())
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.redraw())
  document.addEventListener('visibilitychange', begin)

  return {
    /** Whether it is the tab that is looked at. */
    open(isIt: boolean): void {
      isOpen = isIt
      begin()
    },
    /** Forgets what only the operator may see. */
    clear(): void {
      rest()
      charts.clear()
      state.clear()
      showTexts({})
      for (const id of ['overview', 'newcomer-list']) byId(id).replaceChildren()
      for (const id of ['archive', 'newcomers']) byId(id).hidden = true
    },
  }
}

function showProgress({ coldStarts, archive }: Figures): void {
  const isSomebodyNew = coldStarts.count > 0
  showBar(byId('archive'), archive.isShown, archive)
  showBar(byId('newcomers'), isSomebodyNew, coldStarts)
  if (isSomebodyNew) void showNewcomers(byId('newcomer-list'))
}

function showBar(
  section: HTMLElement,
  isShown: boolean,
  { percent, text }: { percent: number; text: string },
): void {
  section.hidden = !isShown
  section.querySelector('p')!.textContent = text
  section.querySelector('progress')!.value = percent
}
