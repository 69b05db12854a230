// For how long videos were watched, day by day, on the explore page: sums of all, without whose they are.

import { byId, element } from './dom.ts'
import { askAsOperator } from './operator.ts'

type Day = { date: string; seconds: number; sessions: number }

export async function showVideos(): Promise<void> {
  const { days } = await askAsOperator<{ days: Day[] }>('videos')
  const nothing = element('p', { class: 'empty' }, 'No videos watched yet.')
  byId('videos').replaceChildren(days.length > 0 ? table(days) : nothing)
}

function table(days: Day[]): HTMLElement {
  const heads = ['Day', 'Minutes', 'Viewers'].map((text) => element('th', { scope: 'col' }, text))
  const rows = element('tbody', {}, ...days.map(row))
  return element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Videos watched by day' },
    element('table', {}, element('thead', {}, element('tr', {}, ...heads)), rows),
  )
}

function row({ date, seconds, sessions }: Day): HTMLElement {
  const minutes = (seconds / 60).toLocaleString(undefined, { maximumFractionDigits: 1 })
  const cells = [minutes, sessions.toLocaleString()].map((text) => element('td', {}, text))
  return element('tr', {}, element('th', { scope: 'row' }, date), ...cells)
}
