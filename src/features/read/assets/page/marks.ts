// Where one was on each page of this visit, to go on there after "back": by the post that was read, not by pixels.

import type { View } from './view.ts'

type Mark = { y: number; uri: string; nth: number; top: number; isFocused: boolean }

const marks = new Map<string, Mark>()
/** Height of what covers the top of the page. */
const BAR = 80
const MOST_PAGES = 20
/** Heights of what is above are known only once it was on the screen. */
const TRIES = 4

const topOf = (card: Element) => (card.closest('li') ?? card).getBoundingClientRect().top
const isOnScreen = (card: Element) => {
  const { top, bottom } = card.getBoundingClientRect()
  return bottom > BAR && top < innerHeight
}

export function markPlace(path: string): void {
  const focused = document.activeElement?.closest<HTMLElement>('.post[data-uri]')
  const isFocused = focused !== null && focused !== undefined && isOnScreen(focused)
  const card = isFocused ? focused : cards().find(isOnScreen)
  const uri = card?.dataset['uri'] ?? ''
  const nth = card ? cards(uri).indexOf(card) : 0
  marks.set(path, { y: scrollY, uri, nth, top: card ? topOf(card) : 0, isFocused })
}

/** A post and a repost of it may be on one page. */
function cards(uri?: string): HTMLElement[] {
  const all = [...document.querySelectorAll<HTMLElement>('#main .post[data-uri]')]
  return uri === undefined ? all : all.filter((one) => one.dataset['uri'] === uri)
}

export async function goOnAt(path: string, view: View): Promise<void> {
  const mark = marks.get(path)
  if (!mark) return
  const card = () => cards(mark.uri)[mark.nth] ?? cards(mark.uri)[0]
  for (let pages = 0; pages < MOST_PAGES && mark.uri && !card(); pages++)
    if (!view.node.isConnected || !(await view.more?.())) break
  const found = card()
  if (!found) return scrollTo(0, mark.y)
  for (let tries = 0; tries < TRIES && found.isConnected; tries++) {
    scrollBy(0, topOf(found) - mark.top)
    await new Promise(requestAnimationFrame)
  }
  if (mark.isFocused) found.querySelector<HTMLElement>('.when')?.focus({ preventScroll: true })
}
