// Tells the server up to where a timeline was read, some time after each pause in scrolling and when the page
// is left.

import { cursorAt, savePosition } from './place.ts'
import type { Rows } from './rows.ts'

const SAVE_AFTER_MS = 1_500
/** What is below it is on the screen. */
const TOP = 120

export function storePosition(name: string, { list, rows }: { list: HTMLElement; rows: Rows }) {
  let saved = ''
  let timer: ReturnType<typeof setTimeout> | undefined

  function save(isLeaving = false): void {
    const top = rows.all.find(({ node }) => node.getBoundingClientRect().bottom > TOP)
    if (!top || !list.isConnected || cursorAt(top.position) === saved) return
    saved = cursorAt(top.position)
    void savePosition(name, top.position, isLeaving)
  }
  const soon = () => {
    clearTimeout(timer)
    timer = setTimeout(save, SAVE_AFTER_MS)
  }
  const onHide = () => document.visibilityState === 'hidden' && save(true)
  addEventListener('scroll', soon, { passive: true })
  document.addEventListener('visibilitychange', onHide)
  return {
    soon,
    dispose() {
      save(true)
      clearTimeout(timer)
      removeEventListener('scroll', soon)
      document.removeEventListener('visibilitychange', onHide)
    },
  }
}
