// DOM helpers. Text is only ever set as text, never as HTML.

type Attributes = Record<string, string | number | boolean | undefined>
type Child = Node | string | undefined | false

/** @throws if the page has no such element */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (!found) throw new Error(`the page has no #${id}`)
  return found as T
}

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  setAttributes(made, attributes)
  made.append(...children.filter((child) => child !== undefined && child !== false))
  return made
}

export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[Name] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name)
  setAttributes(made, attributes)
  made.append(...children.filter((child) => child !== undefined && child !== false))
  return made
}

type Cell = string | Node

/**
 * The first cell of each row is its header. Columns of figures are aligned; nothing wraps but `words`, and on phones
 * rows become cards.
 */
export function table(heads: readonly string[], rows: readonly (readonly Cell[])[]): HTMLElement {
  const head = heads.map((text, i) => {
    const isFigures = rows.length > 0 && rows.every((row) => isFigure(row[i]))
    return element('th', { scope: 'col', class: isFigures && 'number' }, text)
  })
  const lines = rows.map(([name, ...cells]) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, name),
      ...cells.map((cell, i) => tableCell(cell, heads[i + 1])),
    ),
  )
  return element(
    'table',
    { class: 'cards' },
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...lines),
  )
}

/** The head is repeated in each cell for phones, where rows become cards. */
function tableCell(cell: Cell, head: string | undefined): HTMLElement {
  return element('td', { class: isFigure(cell) && 'number', 'data-head': head }, cell)
}

/** A cell's text of any length, which may wrap. */
export function words(text: string): HTMLElement {
  return element('span', { class: 'words', dir: 'auto' }, text)
}

function isFigure(cell: Cell | undefined): boolean {
  return typeof cell === 'string' && /^(–|[\d.,]+( ?[%a-z]+)?)$/.test(cell)
}

/** Wraps content that may be wider than the page. */
export function scrollable(label: string, content: HTMLElement): HTMLElement {
  const attributes = { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label }
  return element('div', attributes, content)
}

export function dateAndTime(at: number | string | Date): string {
  return new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
}

/** The time since, up to a week; then the date. The full date appears on hover. */
export function relativeTime(at: string, now = Date.now()): HTMLTimeElement {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return element('time', {}, 'some time')
  const attributes = { datetime: date.toISOString(), title: dateAndTime(date) }
  return element('time', attributes, agoInWords(date, now))
}

function agoInWords(date: Date, now: number): string {
  const minutes = Math.floor((now - date.getTime()) / 60_000)
  const days = Math.floor(minutes / 1_440)
  // Clocks differ a little; a date further ahead is shown as it is.
  if (minutes < -5 || days >= 7) return date.toLocaleDateString('en-GB', { dateStyle: 'medium' })
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 1_440) return `${Math.floor(minutes / 60)} h ago`
  return days === 1 ? '1 day ago' : `${days} days ago`
}

/** Makes a button group exclusive, and calls `chosen` with the pressed button's value. */
export function choice(group: Element, attribute: string, chosen: (value: string) => void): void {
  const buttons = [...group.querySelectorAll<HTMLButtonElement>(`[data-${attribute}]`)]
  for (const button of buttons) {
    button.addEventListener('click', () => {
      for (const item of buttons) item.setAttribute('aria-pressed', String(item === button))
      chosen(button.getAttribute(`data-${attribute}`)!)
    })
  }
}

function setAttributes(to: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    to.setAttribute(name, value === true ? '' : String(value))
  }
}

/** Cuts text to a number of visible characters: an emoji or an accented letter counts as one. */
export function cutTo(text: string, length: number): string {
  const characters = new Intl.Segmenter().segment(text)
  let end = 0
  let seen = 0
  for (const { segment } of characters) {
    if (seen++ >= length) break
    end += segment.length
  }
  return text.slice(0, end)
}

/** An account's handle, or its DID if the handle is unverified. */
export function shortName({ handle, did }: { handle: string; did: string }): string {
  return handle === 'handle.invalid' ? did : `@${handle}`
}
