// Shows the state in words and the current figures, where the page has places for them.

import { byId, element } from './dom.ts'

export type Finding = { level: string; title: string; text: string }

type Rank = 'h1' | 'h2' | 'h3'

export function showTexts(texts: Record<string, string>): void {
  for (const position of document.querySelectorAll<HTMLElement>('[data-figure]')) {
    const text = texts[position.dataset['figure']!] ?? '–'
    if ('held' in position.dataset) position.dataset['latest'] = text
    else if (position.textContent !== text) position.textContent = text
  }
}

/** @param ranks - of the first heading, and of the others */
export function createStateView(ranks: [Rank, Rank]) {
  let text = ''

  /** Announces to screen readers only when the findings change, not every second. */
  function show(state: Finding[]): void {
    const asText = JSON.stringify(state.map(({ level, title }) => [level, title]))
    if (asText === text) return showWords(state)
    if (text !== '') byId('announcement').textContent = state[0]?.title ?? ''
    text = asText
    byId('state').replaceChildren(
      ...state.map((finding, i) => card(finding, ranks[i === 0 ? 0 : 1])),
    )
  }

  return {
    show,
    clear(): void {
      text = ''
      byId('state').replaceChildren()
    },
  }
}

function showWords(state: Finding[]): void {
  for (const [i, { text }] of state.entries()) {
    const position = byId('state').children[i]?.querySelector('p')
    if (position && position.textContent !== text) position.textContent = text
  }
}

function card({ level, title, text }: Finding, rank: Rank): HTMLElement {
  const words = [element(rank, {}, title), element('p', {}, text)]
  return element('article', { class: `finding ${level}` }, ...words)
}
