// Which posts and accounts the labelers of recent requests say anything about, for each set of labelers.
// Few are labelled: those take the slow path, with everything else that differs from viewer to viewer.
//
// Keyed by fragment.ts `dependency` of the post or the account. Bounded by entries; the set that was
// not asked for longest goes first, and one that alone fills it all begins anew.

import type { Labelers } from '../hydrate/labelers.ts'

/** About 50 bytes each. */
const MAX_ENTRIES = 400_000
const MAX_SETS = 64

export type LabelMemory = Map<number, boolean>

export class LabelMemories {
  /** In the order of their last use. */
  readonly #sets = new Map<string, LabelMemory>()

  /** @returns undefined where nobody's labels count. */
  of({ dids }: Labelers): LabelMemory | undefined {
    if (dids.length === 0) return undefined
    const key = dids.length === 1 ? dids[0]! : [...dids].sort().join()
    const found = this.#sets.get(key) ?? new Map()
    this.#sets.delete(key)
    this.#makeRoom()
    this.#sets.set(key, found)
    if (found.size > MAX_ENTRIES) found.clear()
    return found
  }

  forget(subject: number): void {
    for (const set of this.#sets.values()) set.delete(subject)
  }

  forgetAll(): void {
    this.#sets.clear()
  }

  #makeRoom(): void {
    let entries = 0
    for (const set of this.#sets.values()) entries += set.size
    while (this.#sets.size >= MAX_SETS || entries > MAX_ENTRIES) {
      const [oldest] = this.#sets
      if (!oldest) return
      entries -= oldest[1].size
      this.#sets.delete(oldest[0])
    }
  }
}
