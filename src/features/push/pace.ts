// How many pushes a member gets in a minute. A popular post can cause many that are no group: replies, mentions, quotes.

import { MINUTE_MS } from '../../base/util/durations.ts'
import { LruMap } from '../../base/util/lru.ts'

const MOST_A_MINUTE = 5
const MAX_MEMBERS = 10_000

export type Pace = {
  /** Whether one more may go; counts as sent from then on. */
  take(uid: number, now: number): boolean
  isFull(uid: number, now: number): boolean
}

export function createPace(): Pace {
  /** Times of the last pushes, oldest first. */
  const sent = new LruMap<number, readonly number[]>(MAX_MEMBERS)
  const recent = (uid: number, now: number) =>
    (sent.get(uid) ?? []).filter((at) => now - at < MINUTE_MS)
  const isFull = (uid: number, now: number) => recent(uid, now).length >= MOST_A_MINUTE
  return {
    isFull,
    take(uid, now) {
      if (isFull(uid, now)) return false
      sent.set(uid, [...recent(uid, now), now])
      return true
    },
  }
}
