// How long a newcomer's first requests wait for data (first-page.ts, first-notifications.ts): less than a PDS
// waits for us, less still if the last wait brought nothing and nothing has changed since, and not at all while
// the account's server is known to be down. Requests wait before the handler and outside the queue
// (dispatch.ts), where they hold up no others; each look is a turn of its call. The more of them wait, the less
// often each polls. Requests beyond the limit are answered at once.

import { setTimeout as sleep } from 'node:timers/promises'
import { LruMap } from '../../../base/util/lru.ts'
import { inLaterTurn, type MaybeLater } from '../../../base/util/turn.ts'
import { waitLeftMs } from '../../server/wait-left.ts'

export type NewcomerWaits = {
  /**
   * Resolves when the data is there or time is up; undefined if it is there already, or there is no
   * room to wait.
   */
  until(isThere: IsThere, request: WaitRequest): Promise<void> | undefined
}

type IsThere = (waitedMs: number) => MaybeLater<boolean>

type WaitRequest = {
  did: string
  /**
   * Names the data and its progress: after a wait that brought nothing, a changed name allows another
   * full wait.
   */
  state: () => string
  /**
   * Whether no progress is possible before `until`, since the account's own server is backed off.
   */
  isPutOff?: (times: { now: number; until: number }) => boolean
  maxWaitMs: number
  signal: AbortSignal
  /** Called now and then during the wait, unless many wait: it may cost as much as an answer. */
  meanwhile?: (() => MaybeLater<void>) | undefined
}

/** Applies after a full wait that brought nothing, until something changes. */
const AFTER_VAIN_WAIT_MS = 500
const MAX_REMEMBERED = 10_000
const LOOK_EVERY_MS = 100
/**
 * Added to the poll interval per waiter: together they poll at most about a thousand times a
 * second.
 */
const LOOK_LATER_MS = 1
const MEANWHILE_EVERY_MS = 700
const MEANWHILE_MAX_WAITING = 8
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
    const look = inLaterTurn(isThere)
    const meanwhile = inLaterTurn(() => request.meanwhile?.())
    const began = now()
    const giveUpAt = began + waitLeftMs(signal, longestMs(request), began)
    let meanwhileAt = began + MEANWHILE_EVERY_MS
    while (now() < giveUpAt && !signal.aborted && !isPutOff(request, giveUpAt)) {
      await sleep(LOOK_EVERY_MS + waitingInAll * LOOK_LATER_MS)
      const at = now()
      if (await look(at - began)) return
      if (at < meanwhileAt || waitingInAll > MEANWHILE_MAX_WAITING) continue
      meanwhileAt = at + MEANWHILE_EVERY_MS
      await meanwhile(undefined)
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
      const unlessThere = (is: boolean): Promise<void> | undefined => {
        if (is || isPutOff(request, now() + longestMs(request))) return undefined
        if (waitingInAll >= MAX_WAITING || (waiting.get(did) ?? 0) >= MAX_WAITING_EACH)
          return undefined
        count(did, 1)
        return wait(isThere, request).finally(() => count(did, -1))
      }
      const first = isThere(0)
      return first instanceof Promise ? first.then(inLaterTurn(unlessThere)) : unlessThere(first)
    },
  }
}
