// Deleting one's own posts. A deletion can't be taken back on the network, so it waits while "Undo" is offered. A page
// that is closed meanwhile can't send anything: what was to go is kept in this browser, and goes when it is back.

import { me } from '../page/api.ts'
import { attempt, toast } from '../page/toast.ts'
import { t } from '../page/words.ts'
import { remove } from './records.ts'

const KEY = 'slipstream-deleting'
const isMine = (uri: string) => uri.startsWith(`at://${me()}/`)

function waiting(): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(found) ? found : []
  } catch {
    return []
  }
}

function setWaiting(uri: string, isWaiting: boolean): void {
  const others = waiting().filter((one) => one !== uri)
  const uris = isWaiting ? [...others, uri] : others
  if (uris.length === 0) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, JSON.stringify(uris))
}

/** @param showAgain - where it stays after all */
export function erase(
  uri: string,
  card: HTMLElement,
  showAgain: (card: HTMLElement) => void,
): void {
  card.hidden = true
  setWaiting(uri, true)
  const { promise: isDecided, resolve: decide } = Promise.withResolvers<void>()
  // Other pages leave it alone as long as this one is open.
  void navigator.locks.request(uri, () => isDecided)
  const undo = async () => {
    setWaiting(uri, false)
    decide()
    showAgain(card)
  }
  const forGood = async () => {
    if (await attempt(() => remove(uri))) card.remove()
    else showAgain(card)
    setWaiting(uri, false)
    decide()
  }
  toast(t('deleted'), undo, () => void forGood())
}

/** Those of pages that were closed. */
export async function finishDeletions(): Promise<void> {
  for (const uri of waiting().filter(isMine)) {
    await navigator.locks.request(uri, { ifAvailable: true }, async (lock) => {
      if (!lock) return
      await remove(uri)
      setWaiting(uri, false)
    })
  }
}
