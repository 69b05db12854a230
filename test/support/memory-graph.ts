// The plain twin of the follow graph: maps of sets, sorted on demand. It holds the shared-memory graph to its
// contract, and is the yardstick for it.

import { compareUids, type EdgeRun, type FollowGraphWriter } from '@slipstream/follow-graph'

const NOBODY: ReadonlySet<number> = new Set()

export class MemoryFollowGraph implements FollowGraphWriter {
  edgeCount = 0
  readonly #follows = new Map<number, Set<number>>()
  readonly #followers = new Map<number, Set<number>>()

  has(creator: number, subject: number): boolean {
    return this.#follows.get(creator)?.has(subject) ?? false
  }

  followsCount(creator: number): number {
    return this.#follows.get(creator)?.size ?? 0
  }

  followersCount(subject: number): number {
    return this.#followers.get(subject)?.size ?? 0
  }

  follows(creator: number, after: number, out: Uint32Array): number {
    return page(this.#follows.get(creator) ?? NOBODY, after, out)
  }

  followers(subject: number, after: number, out: Uint32Array): number {
    return page(this.#followers.get(subject) ?? NOBODY, after, out)
  }

  knownFollowers(viewer: number, subject: number, after: number, out: Uint32Array): number {
    return page(this.#known(viewer, subject), after, out)
  }

  knownFollowersCount(viewer: number, subject: number): number {
    return this.#known(viewer, subject).length
  }

  add(creator: number, subject: number): boolean {
    if (this.has(creator, subject)) return false
    setOf(this.#follows, creator).add(subject)
    setOf(this.#followers, subject).add(creator)
    this.edgeCount++
    return true
  }

  remove(creator: number, subject: number): boolean {
    if (!this.#follows.get(creator)?.delete(subject)) return false
    this.#followers.get(subject)?.delete(creator)
    this.edgeCount--
    return true
  }

  changeAll({ creators, subjects, added, count }: EdgeRun): void {
    for (let i = 0; i < count; i++) {
      if (added[i] === 1) this.add(creators[i]!, subjects[i]!)
      else this.remove(creators[i]!, subjects[i]!)
    }
  }

  #known(viewer: number, subject: number): number[] {
    const followers = this.#followers.get(subject) ?? NOBODY
    return [...(this.#follows.get(viewer) ?? NOBODY)].filter((uid) => followers.has(uid))
  }
}

export function createMemoryFollowGraph(): FollowGraphWriter {
  return new MemoryFollowGraph()
}

function setOf(sets: Map<number, Set<number>>, uid: number): Set<number> {
  const known = sets.get(uid)
  if (known) return known
  const made = new Set<number>()
  sets.set(uid, made)
  return made
}

function page(uids: Iterable<number>, after: number, out: Uint32Array): number {
  const behind = [...uids].filter((uid) => compareUids(uid, after) > 0).sort(compareUids)
  const written = Math.min(behind.length, out.length)
  for (let i = 0; i < written; i++) out[i] = behind[i]!
  return written
}
