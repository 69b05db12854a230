// The slowest answers of the last hour on the explore page, each with a breakdown of its time.

import { byId, dateAndTime, element, scrollable, svg, table } from './dom.ts'
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
/** They add up to about the total. */
const STAGES = ['token', 'wait', 'queue', 'skeleton', 'rows', 'views', 'finish', 'write'] as const
const HEADS = ['When', 'Method', 'Status', ...Object.values(PARTS)]

type SlowRequest = Record<keyof typeof PARTS, number> & { at: number; path: string; status: number }

export async function showSlow(): Promise<void> {
  const { requests } = await askAsOperator<{ requests: SlowRequest[] }>('slow')
  const nothing = element('p', { class: 'empty' }, 'No requests in the last hour.')
  const visible = scrollable('Slow answers', table(HEADS, requests.map(row)))
  byId('slow').replaceChildren(requests.length > 0 ? visible : nothing)
}

function row(slowRequest: SlowRequest): (string | Node)[] {
  const times = Object.keys(PARTS).map((name) => slowRequest[name as keyof typeof PARTS])
  return [
    dateAndTime(slowRequest.at),
    method(slowRequest),
    String(slowRequest.status),
    ...times.map((ms) => ms.toFixed(ms < 10 ? 1 : 0)),
  ]
}

function method(slowRequest: SlowRequest): HTMLElement {
  return element(
    'span',
    { class: 'method' },
    slowRequest.path.replace('/xrpc/', ''),
    stageBar(slowRequest),
  )
}

/** The same figures as in the row, as widths. */
function stageBar(slowRequest: SlowRequest): SVGElement {
  const sum = STAGES.reduce((all, name) => all + slowRequest[name], 0) || 1
  let x = 0
  const parts = STAGES.map((name) => {
    const width = (slowRequest[name] / sum) * 100
    const at = x
    x += width
    const title = svg('title', {}, PARTS[name])
    return svg('rect', { class: `stage-${name}`, x: at, width, height: 1 }, title)
  })
  const frame = { class: 'stages', viewBox: '0 0 100 1', preserveAspectRatio: 'none' }
  return svg('svg', { ...frame, 'aria-hidden': 'true' }, ...parts)
}
