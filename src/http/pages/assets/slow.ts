// The slowest answers of the last hour on the explore page, each with a breakdown of its time.

import { byId, element, scrollable, table } from './dom.ts'
import { askAsOperator } from './operator.ts'

const PARTS = {
  lateMs: 'Late',
  totalMs: 'Total',
  token: 'Token',
  wait: 'Fetched first',
  queue: 'Queue',
  skeleton: 'Skeleton',
  rows: 'Rows',
  views: 'Views',
  finish: 'Bytes',
  write: 'Write',
  collectionsMs: 'Of which, garbage',
} as const
const HEADS = ['When', 'Method', 'Status', ...Object.values(PARTS)]

type SlowRequest = Record<keyof typeof PARTS, number> & { at: number; path: string; status: number }

export async function showSlow(): Promise<void> {
  const { requests } = await askAsOperator<{ requests: SlowRequest[] }>('slow')
  const nothing = element('p', { class: 'empty' }, 'No requests in the last hour.')
  const shown = scrollable('Slow answers', table(HEADS, requests.map(row)))
  byId('slow').replaceChildren(requests.length > 0 ? shown : nothing)
}

function row(one: SlowRequest): string[] {
  const times = Object.keys(PARTS).map((name) => one[name as keyof typeof PARTS])
  return [
    new Date(one.at).toLocaleTimeString(),
    one.path.replace('/xrpc/', ''),
    String(one.status),
    ...times.map((ms) => ms.toFixed(ms < 10 ? 1 : 0)),
  ]
}
