// Candidates that the same few accounts like, again and again, count less and less: a ring is heard once. Who likes a
// candidate is compared by three least hashes of its likers; sets of which nine in ten are the same agree in all three
// three times in four, those of which one in five is, once in a hundred. What many like is no choir.

import { mix } from '../../../base/util/hash.ts'
import type { Sums } from './scratch.ts'

const HASHES = 3

export type Choirs = {
  /** Of the account that votes. */
  own: Int32Array
  /** Least ones, by place of a candidate. */
  least: Int32Array
}

export function createChoirs(slots: number): Choirs {
  return { own: new Int32Array(HASHES), least: new Int32Array(slots * HASHES) }
}

/** The votes that follow are this account's. */
export function nextVoice({ own }: Choirs, user: number): void {
  for (let i = 0, hash = user; i < HASHES; i++) {
    hash = mix(hash + i + 1)
    own[i] = hash
  }
}

export function hearVoice({ own, least }: Choirs, slot: number, isFirst: boolean): void {
  const at = slot * HASHES
  for (let i = 0; i < HASHES; i++) {
    if (isFirst || own[i]! < least[at + i]!) least[at + i] = own[i]!
  }
}

/**
 * Divides the score of the second that a set of accounts likes by four, of the third by nine.
 * @param size - of sets that are compared
 */
export function quieten(
  posts: Sums,
  choirs: Choirs,
  { ranked, size }: { ranked: Int32Array; size: readonly [fewest: number, most: number] },
): void {
  const heard = new Map<number, number>()
  for (const slot of ranked) {
    const votes = posts.counts[slot]!
    if (votes < size[0] || votes > size[1]) continue
    const set = setOf(choirs, slot)
    const times = (heard.get(set) ?? 0) + 1
    heard.set(set, times)
    posts.scores[slot]! /= times ** 2
  }
}

/** A number for the accounts that like a candidate. */
export function setOf({ least }: Choirs, slot: number): number {
  const at = slot * HASHES
  return mix(least[at]! ^ mix(least[at + 1]! ^ mix(least[at + 2]!)))
}
