// The slowest answers of the last hour on the explore page, each with what it took its time for.

import { byId, element } from './dom.ts'
import { askAsOperator } from './operator.ts'

const PARTS = {
  lateMs: 'Late',
  totalMs: 'Total',
  token: 'Token',
  wait: 'Fetched first',
  queue: 'Queue',
  skeleton: 'Which items',
  rows: 'Rows',
  views: 'Views',
  finish: 'Bytes',
  write: 'Write',
  collectionsMs: 'Of it, garbage',
} as const

type SlowRequest = Record<keyof typeof PARTS, number> & { at: number; path: string; status: number }

export async function showSlow(): Promise<void> {
  const { requests } = await askAsOperator<{ requests: SlowRequest[] }>('slow')
  const nothing = element('p', { class: 'empty' }, 'No requests in the last hour.')
  byId('slow').replaceChildren(requests.length > 0 ? table(requests) : nothing)
}

function table(requests: SlowRequest[]): HTMLElement {
  const head = ['When', 'Method', 'Status', ...Object.values(PARTS)]
  const heads = head.map((text) => element('th', { scope: 'col' }, text))
  const rows = element('tbody', {}, ...requests.map(row))
  return element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Slow answers' },
    element('table', {}, element('thead', {}, element('tr', {}, ...heads)), rows),
  )
}

function row(one: SlowRequest): HTMLElement {
  const times = Object.keys(PARTS).map((name) => one[name as keyof typeof PARTS])
  const cells = [
    one.path.replace('/xrpc/', ''),
    String(one.status),
    ...times.map((ms) => ms.toFixed(ms < 10 ? 1 : 0)),
  ]
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, new Date(one.at).toLocaleTimeString()),
    ...cells.map((text) => element('td', {}, text)),
  )
}
