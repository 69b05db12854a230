// A newcomer's first page. The account was never seen, so there is nothing to show, but its cold
// start has just begun and brings the newest posts within a moment: worth a short wait, since
// clients show an empty page as the end of it all. Each account waits once, and only so many at a
// time.

import { setTimeout as sleep } from 'node:timers/promises'
import { LruMap } from '../identity/lru.ts'
import type { Accounts } from '../skeleton/accounts.ts'

export type FirstPage = {
  /**
   * Reads again until there is a good part of a page, nothing more came for a while, the cold start
   * is over, or time is up.
   */
  awaited<T extends Page>(read: () => T, request: Request): Promise<T>
}

type Page = { items: unknown[] }
type Request = { did: string; uid: () => number; signal: AbortSignal }

const LOOK_EVERY_MS = 50
const ENOUGH_ITEMS = 20
/** Something is there, and nothing more came for so long. */
const SETTLE_MS = 300
const MAX_WAITING = 64
const MAX_REMEMBERED = 10_000

export function createFirstPage(options: {
  accounts: Pick<Accounts, 'isNewcomer'>
  /** 0: never waits. */
  patienceMs: number
  now?: () => number
}): FirstPage {
  const { accounts, patienceMs, now = Date.now } = options
  const hasWaited = new LruMap<string, true>(MAX_REMEMBERED)
  let waiting = 0

  async function wait<T extends Page>(read: () => T, { uid, signal }: Request): Promise<T> {
    const giveUpAt = now() + patienceMs
    let length = 0
    let grewAt = now()
    for (;;) {
      const page = read()
      if (page.items.length > length) grewAt = now()
      length = page.items.length
      const isSettled = length > 0 && now() - grewAt >= SETTLE_MS
      const isEnough = length >= ENOUGH_ITEMS || isSettled || now() >= giveUpAt
      if (isEnough || signal.aborted) return page
      // What the cold start brought last may have come after this page was read.
      if (!accounts.isNewcomer(uid(), now())) return read()
      await sleep(LOOK_EVERY_MS)
    }
  }

  return {
    async awaited(read, request) {
      const { did } = request
      if (patienceMs === 0 || waiting >= MAX_WAITING || hasWaited.get(did)) return read()
      hasWaited.set(did, true)
      waiting++
      try {
        return await wait(read, request)
      } finally {
        waiting--
      }
    },
  }
}
