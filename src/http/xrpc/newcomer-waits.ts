// What a newcomer's first requests wait for (first-page.ts, first-notifications.ts): for less than a PDS waits for
// us, for little where a wait was in vain and nothing has moved since, because a server may be away, and not at all
// while that is known. The wait is before the handler and outside the queue (dispatch.ts): it takes nobody's place
// there, and looks seldom where many wait. Who finds no room to wait is answered at once.

import { setTimeout as sleep } from 'node:timers/promises'
import { LruMap } from '../../base/util/lru.ts'
import { waitLeftMs } from './wait-left.ts'

export type NewcomerWaits = {
  /** Resolves when it is there or time is up; undefined where it is there, or nobody may wait. */
  until(isThere: IsThere, request: WaitRequest): Promise<void> | undefined
}

type IsThere = (waitedMs: number) => boolean

type WaitRequest = {
  did: string
  /** What is waited for, and how far that is: after a wait in vain it is waited for anew once this is another. */
  state: () => string
  /** Whether nothing can move before then, since their own server is let alone. */
  isPutOff?: (times: { now: number; until: number }) => boolean
  maxWaitMs: number
  signal: AbortSignal
}

/** Where a whole wait brought nothing, and everything is where it was. */
const AFTER_VAIN_WAIT_MS = 500
const MAX_REMEMBERED = 10_000
const LOOK_EVERY_MS = 100
/** Looks a second, of all who wait together, are about a thousand at most. */
const LOOK_LATER_MS = 1
const MAX_WAITING = 1_000
const MAX_WAITING_EACH = 4

export function createNewcomerWaits({
  now = Date.now,
}: {
  now?: () => number
} = {}): NewcomerWaits {
  const waiting = new Map<string, number>()
  const vain = new LruMap<string, true>(MAX_REMEMBERED)
  let waitingInAll = 0

  const nameOf = ({ did, state }: WaitRequest) => `${did} ${state()}`

  function longestMs(request: WaitRequest): number {
    const { maxWaitMs } = request
    return vain.get(nameOf(request)) ? Math.min(AFTER_VAIN_WAIT_MS, maxWaitMs) : maxWaitMs
  }

  const isPutOff = (request: WaitRequest, until: number) =>
    request.isPutOff?.({ now: now(), until }) === true

  async function wait(isThere: IsThere, request: WaitRequest): Promise<void> {
    const { signal } = request
    const began = now()
    const giveUpAt = began + waitLeftMs(signal, longestMs(request), began)
    while (now() < giveUpAt && !signal.aborted && !isPutOff(request, giveUpAt)) {
      await sleep(LOOK_EVERY_MS + waitingInAll * LOOK_LATER_MS)
      if (isThere(now() - began)) return
    }
    if (!signal.aborted) vain.set(nameOf(request), true)
  }

  function count(did: string, by: 1 | -1): void {
    waitingInAll += by
    const each = (waiting.get(did) ?? 0) + by
    if (each === 0) waiting.delete(did)
    else waiting.set(did, each)
  }

  return {
    until(isThere, request) {
      const { did } = request
      if (isThere(0)) return undefined
      if (isPutOff(request, now() + longestMs(request))) return undefined
      if (waitingInAll >= MAX_WAITING || (waiting.get(did) ?? 0) >= MAX_WAITING_EACH)
        return undefined
      count(did, 1)
      return wait(isThere, request).finally(() => count(did, -1))
    },
  }
}
