// One line at the foot of the page about what just happened, with a way to undo it for some seconds.

import { SessionOverError } from './api.ts'
import { button, byId, el, present } from './dom.ts'
import { problemWords } from './problems.ts'
import { t } from './words.ts'

const PRESENTED_MS = 8_000
let timer: ReturnType<typeof setTimeout> | undefined
let onGone: (() => void) | undefined
/** What had the focus before "Undo" took it. */
let left: Element | undefined

/**
 * @param undo - what "Undo" does; its failure is told like any other
 * @param gone - called once it can't be undone any more
 */
export function toast(text: string, undo?: () => Promise<void>, gone?: () => void): void {
  hide()
  onGone = gone
  const undoing = () => {
    onGone = undefined
    hide()
    void attempt(async () => {
      await undo!()
      toast(t('undone'))
    })
  }
  const way = undo && button(t('undo'), undoing, { class: 'quiet', 'aria-keyshortcuts': 'z' })
  byId('toast').replaceChildren(...present([el('span', {}, text), way]))
  wait()
  const focused = document.activeElement ?? document.body
  // What had the focus is gone: a keyboard goes on here, not at the top of the page.
  if (!way || (focused !== document.body && focused.checkVisibility())) return
  left = focused
  way.focus()
}

/** Whoever is about to press "Undo" has the time. */
function wait(): void {
  timer = setTimeout(() => {
    if (byId('toast').matches(':hover, :focus-within')) wait()
    else hide()
  }, PRESENTED_MS)
}

function hide(): void {
  clearTimeout(timer)
  const place = byId('toast')
  const isFocused = place.contains(document.activeElement)
  place.replaceChildren()
  if (isFocused) behind(left)?.focus({ preventScroll: true })
  const gone = onGone
  onGone = undefined
  gone?.()
}

/** The post that follows what is gone. */
function behind(gone: Element | undefined): HTMLElement | undefined {
  const posts = [...document.querySelectorAll<HTMLElement>('.post .when')]
  const isBehind = (one: Node) =>
    gone !== document.body && (gone?.compareDocumentPosition(one) ?? 0) & 4
  return posts.find((one) => one.checkVisibility() && isBehind(one)) ?? byId('main')
}

let onOver: () => void = () => {}

/** Called when a call finds that the session is over. */
export function whenOver(listener: () => void): void {
  onOver = listener
}

/**
 * Runs what a control does, and says what went wrong.
 * @param say - where it is said, if not at the foot of the page
 * @returns whether it went well
 */
export async function attempt(
  work: () => Promise<void>,
  say: (problem: string) => void = toast,
): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof SessionOverError) onOver()
    else say(problemWords(error))
    return false
  }
}
