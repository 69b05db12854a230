// A newcomer's first page. The account was never seen, so there is nothing to show, but its cold
// start has just begun and brings the newest posts within a moment: worth a short wait, since
// clients show an empty page as the end of it all. Only the first minute of a membership waits, only
// for a first page, and only so many requests at once.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Accounts } from '../skeleton/accounts.ts'

export type FirstPage = {
  /** Reads again until there is a good part of a page, the cold start is over, or time is up. */
  awaited<T extends Page>(
    read: () => T,
    request: { uid: () => number; signal: AbortSignal },
  ): Promise<T>
}

type Page = { items: unknown[] }

const LOOK_EVERY_MS = 100
const ENOUGH_ITEMS = 20
const MAX_WAITING = 64

export function createFirstPage(options: {
  accounts: Pick<Accounts, 'isNewcomer'>
  /** 0: never waits. */
  patienceMs: number
  now?: () => number
}): FirstPage {
  const { accounts, patienceMs, now = Date.now } = options
  let waiting = 0

  async function awaited<T extends Page>(
    read: () => T,
    { uid, signal }: { uid: () => number; signal: AbortSignal },
  ): Promise<T> {
    if (patienceMs === 0 || waiting >= MAX_WAITING) return read()
    const giveUpAt = now() + patienceMs
    waiting++
    try {
      let page = read()
      while (page.items.length < ENOUGH_ITEMS && now() < giveUpAt && !signal.aborted) {
        if (!accounts.isNewcomer(uid(), now())) return read()
        await sleep(LOOK_EVERY_MS)
        page = read()
      }
      return page
    } finally {
      waiting--
    }
  }

  return { awaited }
}
