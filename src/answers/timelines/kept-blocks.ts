// Between which members and accounts a block stands, as far as it was asked.

import { PairMemory } from '../cache/pair-memory.ts'

/** Then all is forgotten; about 50 bytes each. */
const MAX_PAIRS = 200_000

export class KeptBlocks extends PairMemory<boolean> {
  /**
   * @param read - which of these a block parts from the viewer
   * @returns the same of those that were given, for use at once
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
