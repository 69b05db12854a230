// Newcomers by name, for an operator who is logged in.

import { element, shortName } from './dom.ts'
import { askAsOperator, operatorToken } from './operator.ts'

type Newcomer = {
  did: string
  handle: string
  stage: 'follows' | 'recent' | 'older' | 'rest' | 'done'
  complete: { done: number; total: number }
  items: number
  itemsWanted: number
}

const STAGES: Record<Newcomer['stage'], string> = {
  follows: 'reading whom they follow',
  recent: 'reading the last hours',
  older: 'reading older posts',
  rest: 'filling in the rest',
  done: 'all here',
}

/** Fills `place`, or empties it where nobody is logged in. */
export async function showNewcomers(place: HTMLElement): Promise<void> {
  if (operatorToken() === undefined) return
  try {
    const { newcomers } = await askAsOperator<{ newcomers: Newcomer[] }>('newcomers')
    place.replaceChildren(newcomers.length > 0 ? table(newcomers) : '')
  } catch {
    place.replaceChildren()
  }
}

function table(newcomers: Newcomer[]): HTMLElement {
  const head = ['Member', 'Stage', 'Timeline', 'Followed']
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
