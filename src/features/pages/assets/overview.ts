// The server at a glance, in the explore page's first tab: what it holds and whether that is well, in words
// as well as in colour.

import { byId, element } from './dom.ts'
import { askAsOperator } from './operator.ts'

type Row = { name: string; text: string; level: keyof typeof LEVELS }

const LEVELS = { good: 'Good', info: 'Info', notice: 'Check this', bad: 'Fix this' }

export async function showOverview(): Promise<void> {
  const { rows } = await askAsOperator<{ rows: Row[] }>('overview')
  byId('overview').replaceChildren(...rows.map(line))
}

/** What the server did in the last thirty days; nothing before its first figures. */
export async function showMonth(): Promise<void> {
  const { lines } = await askAsOperator<{ lines: [name: string, text: string][] }>('month')
  byId('month-section').hidden = lines.length === 0
  byId('month').replaceChildren(
    ...lines.map(([name, text]) =>
      element('div', {}, element('dt', {}, name), element('dd', {}, text)),
    ),
  )
}

function line({ name, text, level }: Row): HTMLElement {
  const word = element('strong', { class: `verdict ${level}` }, LEVELS[level])
  return element('div', {}, element('dt', {}, name), element('dd', {}, word, ` ${text}`))
}
