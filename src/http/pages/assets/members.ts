// Newcomers by name, for the operator.

import { element, shortName } from './dom.ts'
import { askAsOperator } from './operator.ts'

type Newcomer = {
  did: string
  handle: string
  stage: 'follows' | 'recent' | 'older' | 'rest' | 'done'
  complete: { done: number; total: number }
  items: number
  itemsWanted: number
}

const STAGES: Record<Newcomer['stage'], string> = {
  follows: 'reading their follows',
  recent: 'fetching recent posts',
  older: 'fetching older posts',
  rest: 'fetching profiles and lists',
  done: 'done',
}

/** Fills `place`, or empties it where there is no answer. */
export async function showNewcomers(place: HTMLElement): Promise<void> {
  try {
    const { newcomers } = await askAsOperator<{ newcomers: Newcomer[] }>('newcomers')
    place.replaceChildren(newcomers.length > 0 ? table(newcomers) : '')
  } catch {
    place.replaceChildren()
  }
}

function table(newcomers: Newcomer[]): HTMLElement {
  const head = ['Member', 'Now', 'Posts in the timeline', 'Follows fetched']
  return element(
    'table',
    {},
    element(
      'thead',
      {},
      element('tr', {}, ...head.map((text) => element('th', { scope: 'col' }, text))),
    ),
    element('tbody', {}, ...newcomers.map(row)),
  )
}

function row({ did, handle, stage, complete, items, itemsWanted }: Newcomer): HTMLElement {
  const name = shortName({ did, handle })
  const cells = [
    STAGES[stage],
    `${items} of ${itemsWanted}`,
    `${complete.done} of ${complete.total}`,
  ]
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, name),
    ...cells.map((text) => element('td', {}, text)),
  )
}
