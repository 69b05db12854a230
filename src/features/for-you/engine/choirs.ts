// Candidates that the same accounts like, again and again, count less and less: a ring is heard once. Who likes a
// candidate is compared by three least hashes of its likers; sets of which nine in ten are the same agree in all three
// three times in four, those of which one in five is, once in a hundred.

import { mix } from '../../../base/util/hash.ts'
import type { Sums } from './scratch.ts'

const HASHES = 3

/** Least hashes by place of a candidate. */
export type Choirs = Int32Array

export function createChoirs(places: number): Choirs {
  return new Int32Array(places * HASHES)
}

export function hearVoice(choirs: Choirs, place: number, user: number, isFirst: boolean): void {
  for (let i = 0, hash = user; i < HASHES; i++) {
    hash = mix(hash + i + 1)
    const at = place * HASHES + i
    if (isFirst || hash < choirs[at]!) choirs[at] = hash
  }
}

/** Divides the score of the second that a set of accounts likes by four, of the third by nine. */
export function quieten(
  posts: Sums,
  choirs: Choirs,
  { ranked, fewest }: { ranked: Int32Array; fewest: number },
): void {
  const heard = new Map<string, number>()
  for (const place of ranked) {
    if (posts.counts[place]! < fewest) continue
    const at = place * HASHES
    const set = `${choirs[at]} ${choirs[at + 1]} ${choirs[at + 2]}`
    const times = (heard.get(set) ?? 0) + 1
    heard.set(set, times)
    posts.scores[place]! /= times ** 2
  }
}
