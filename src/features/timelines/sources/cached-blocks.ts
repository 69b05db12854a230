// Remembers which members and accounts have a block between them, as far as they were looked up.

import { PairMemory } from '../../../answers/cache/pair-memory.ts'

/** Pairs held before all are dropped; about 50 bytes each. */
const MAX_PAIRS = 200_000

export class CachedBlocks extends PairMemory<boolean> {
  /**
   * @param read - returns the accounts among these that have a block with the viewer
   * @returns whether a given account has a block with the viewer; for immediate use
   */
  among(
    viewer: number,
    uids: Iterable<number>,
    read: (uids: readonly number[]) => Iterable<number>,
  ): (uid: number) => boolean {
    if (this.size > MAX_PAIRS) this.forgetAll()
    const before = this.of(viewer)
    const unknown = new Set<number>()
    for (const uid of uids) if (uid !== viewer && !before?.has(uid)) unknown.add(uid)
    if (unknown.size > 0) {
      const blocked = new Set(read([...unknown]))
      for (const uid of unknown) this.add(viewer, uid, blocked.has(uid))
    }
    const known = this.of(viewer)
    return (uid) => known?.get(uid) === true
  }
}
