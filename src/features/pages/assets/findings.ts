// Shows the state in words and the current figures, where the page has places for them.

import { byId, element } from './dom.ts'

export type Finding = { level: string; title: string; text: string }

type Rank = 'h1' | 'h2' | 'h3'

export function showTexts(texts: Record<string, string>): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-figure]')) {
    const text = texts[place.dataset['figure']!] ?? '–'
    if ('held' in place.dataset) place.dataset['latest'] = text
    else if (place.textContent !== text) place.textContent = text
  }
}

/** @param ranks - of the first heading, and of the others */
export function createStateView(ranks: [Rank, Rank]) {
  let shown = ''

  /** Announces to screen readers only when the findings change, not every second. */
  function show(state: Finding[]): void {
    const asText = JSON.stringify(state.map(({ level, title }) => [level, title]))
    if (asText === shown) return showWords(state)
    if (shown !== '') byId('announcement').textContent = state[0]?.title ?? ''
    shown = asText
    byId('state').replaceChildren(...state.map((one, i) => card(one, ranks[i === 0 ? 0 : 1])))
  }

  return {
    show,
    clear(): void {
      shown = ''
      byId('state').replaceChildren()
    },
  }
}

function showWords(state: Finding[]): void {
  for (const [i, { text }] of state.entries()) {
    const place = byId('state').children[i]?.querySelector('p')
    if (place && place.textContent !== text) place.textContent = text
  }
}

function card({ level, title, text }: Finding, rank: Rank): HTMLElement {
  const words = [element(rank, {}, title), element('p', {}, text)]
  return element('article', { class: `finding ${level}` }, ...words)
}
