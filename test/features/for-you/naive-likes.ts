// The engine's rules over plain lists that keep everything, as long as no limit is reached.

import { TUNING } from '../../../src/features/for-you/engine/recommend.ts'

export type PlainLike = {
  liker: number
  post: number
  author: number
  timeMs: number
  isMembers: boolean
}

const MAX_ACTIVITY = 1000
const DAY = 1440
const minuteOf = (timeMs: number) => Math.floor(timeMs / 60_000)
const half = (age: number, life: number) => 2 ** (-age / life)

export class NaiveLikes {
  #likes: (PlainLike & { minute: number })[] = []
  readonly #counts = new Map<number, number>()
  readonly #activity = new Map<number, { value: number; minute: number }>()
  #now = 0

  hear(like: PlainLike): void {
    this.#now = Math.max(this.#now, minuteOf(like.timeMs))
    const { liker, post } = like
    if (this.#likes.some((like) => like.liker === liker && like.post === post)) return
    const before = this.#activity.get(liker)
    const value = 1 + (before ? before.value * half(this.#now - before.minute, 3 * DAY) : 0)
    this.#activity.set(liker, { value, minute: this.#now })
    if (!like.isMembers && (before?.value ?? 0) > MAX_ACTIVITY) return
    this.#counts.set(post, (this.#counts.get(post) ?? 0) + 1)
    if (!like.isMembers && value > MAX_ACTIVITY) this.#takeBack(liker, post)
    else this.#likes.push({ ...like, minute: this.#now })
  }

  #takeBack(liker: number, last: number): void {
    const posts = this.#likes.filter((like) => like.liker === liker).map(({ post }) => post)
    for (const post of [...posts, last]) this.#counts.set(post, this.#counts.get(post)! - 1)
    this.#likes = this.#likes.filter((like) => like.liker !== liker)
  }

  /** Scores, votes and shared likes by post. */
  recommend(reader: number, own: readonly { post: number; timeMs: number }[]) {
    const people = this.#coLikers(reader, own)
    const found = new Map<number, { score: number; votes: number; shared: number }>()
    for (const { liker, post, minute } of this.#likes) {
      const by = people.get(liker)
      const age = this.#now - minute
      if (!by || age > TUNING.window || own.some((item) => item.post === post)) continue
      const item = found.get(post) ?? { score: 0, votes: 0, shared: 0 }
      const likes = TUNING.spareLikes + this.#counts.get(post)!
      item.score += (by.weight * half(age, TUNING.likeHalfLife)) / likes ** TUNING.postPower
      item.votes++
      item.shared = Math.max(item.shared, by.shared)
      found.set(post, item)
    }
    return found
  }

  #coLikers(reader: number, own: readonly { post: number; timeMs: number }[]) {
    const sums = new Map<number, { sum: number; shared: number; author: number }>()
    for (const { post, timeMs } of own) {
      const weight =
        half(Math.max(0, this.#now - minuteOf(timeMs)), TUNING.readerHalfLife) /
        Math.log2(TUNING.spareLikes + (this.#counts.get(post) ?? 0))
      for (const { liker, author } of this.#likes.filter((like) => like.post === post)) {
        if (liker === reader) continue
        const item = sums.get(liker) ?? { sum: 0, shared: 0, author }
        item.sum += item.shared > 0 && item.author === author ? weight / 2 : weight
        item.shared++
        sums.set(liker, item)
      }
    }
    return new Map([...sums].map(([liker, item]) => [liker, this.#weighed(liker, item)]))
  }

  #weighed(liker: number, { sum, shared }: { sum: number; shared: number }) {
    const active = Math.max(this.#activity.get(liker)!.value, 8)
    const isIndifferent = active > MAX_ACTIVITY
    const trusted = shared / (shared + TUNING.trust) / active ** TUNING.userPower
    return { shared, weight: isIndifferent ? 0 : sum * trusted }
  }
}
