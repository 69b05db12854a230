// A list that reads on by itself as its end comes near, and says what went wrong with a way to try again.

import { SessionOverError } from './api.ts'
import { button, el } from './dom.ts'
import { problemWords } from './problems.ts'
import { attempt } from './toast.ts'
import { t } from './words.ts'

/** Its nodes are made as they are taken; some may be in their place by then. */
export type Page = { nodes: Iterable<Node>; cursor?: string | undefined }

/** How far below the screen the next page is asked for. */
const AHEAD = '1200px'
/** Pages without anything to show are followed by others at once, but not without end. */
const MAX_EMPTY = 8
const WAIT_MS = 2_000
/** Rows that fill a screen: they are painted before the next ones are made. */
const SCREENFUL = 8
const LONGEST_FRAME_MS = 200

/** @returns the list with its foot, and when its first page is there; the rest follows as one scrolls, or asks for it */
export function endless(
  list: HTMLElement,
  read: (cursor: string | undefined) => Promise<Page>,
): { node: HTMLElement; first: Promise<void>; more: () => Promise<boolean> } {
  const foot = el('p', { class: 'foot', role: 'status' })
  const node = el('div', {}, list, foot)
  let cursor: string | undefined
  let isBusy = false
  let isOver = false

  async function readOn(): Promise<void> {
    if (isBusy || isOver) return
    isBusy = true
    foot.textContent = t('loading')
    try {
      for (let empty = 0; empty < MAX_EMPTY && !isOver; empty++) {
        const page = await read(cursor)
        const count = await appendTo(list, page.nodes)
        // The last page of drafts has an empty one.
        isOver = !page.cursor
        // The same place again: nothing is there yet, but something is on its way.
        const isWaiting = page.cursor === cursor
        cursor = page.cursor
        if (isWaiting) setTimeout(() => list.isConnected && void more(), WAIT_MS)
        if (count > 0 || isWaiting) break
      }
      foot.textContent = isOver ? t(list.childElementCount > 0 ? 'end' : 'nothingYet') : ''
    } catch (error) {
      if (error instanceof SessionOverError) void attempt(() => Promise.reject(error))
      foot.replaceChildren(
        problemWords(error),
        ' ',
        button(t('again'), () => void more()),
      )
    } finally {
      isBusy = false
    }
  }

  async function more(): Promise<void> {
    await readOn()
    // The observer speaks only when something changes.
    observer.unobserve(foot)
    if (!isOver) observer.observe(foot)
  }

  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      if (foot.querySelector('button') || !foot.isConnected) return
      void more()
    },
    { rootMargin: AHEAD },
  )
  const first = readOn()
  void first.then(() => observer.observe(foot))
  return {
    node,
    first,
    async more() {
      await more()
      return !isOver && !foot.querySelector('button')
    },
  }
}

/** @returns how many there were */
async function appendTo(list: HTMLElement, nodes: Iterable<Node>): Promise<number> {
  let count = 0
  for (const node of nodes) {
    if (count > 0 && count % SCREENFUL === 0) await painted()
    if (node.parentNode !== list) list.append(node)
    count++
  }
  return count
}

/** Once what is on the page is on the screen. A page in the background has no frames. */
function painted(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve))
    setTimeout(resolve, LONGEST_FRAME_MS)
  })
}
