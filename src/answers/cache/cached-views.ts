// Cached views kept across requests until one of their dependencies changes or room runs out. Bounded by
// bytes, in two generations (like answers/hydrate/cached-rows.ts): views not read while the younger
// generation filled up are evicted with the older one.

import {
  type CachedKind,
  type CachedView,
  cachedViewBytes,
  KINDS,
  ownDependency,
} from './cached-view.ts'

const DEPENDENCY_BYTES = 130

class Generation {
  readonly views = KINDS.map(() => new Map<number, CachedView>())
  /** Keys of dependent cached views, as `id * KINDS.length + kind`. */
  readonly dependents = new Map<number, number | number[]>()
  bytes = 0

  add(
    kind: CachedKind,
    id: number,
    cachedView: CachedView,
    { own, bytes }: { own: number; bytes: number },
  ): void {
    this.views[kind]!.set(id, cachedView)
    this.bytes += bytes
    const key = id * KINDS.length + kind
    const { dependencies } = cachedView
    for (let i = 0; i < dependencies.length; i++) {
      const on = dependencies[i]!
      if (on === own) continue
      const known = this.dependents.get(on)
      if (known === undefined) this.dependents.set(on, key)
      else if (typeof known === 'number') this.dependents.set(on, [known, key])
      else known.push(key)
    }
  }

  /** @returns whether it was here */
  forget(kind: CachedKind, id: number): boolean {
    const views = this.views[kind]!
    const cachedView = views.get(id)
    if (!cachedView) return false
    cachedView.isForgotten = true
    // Its bytes still count until the generation ends, as does its entry in the index.
    return views.delete(id)
  }

  /** @returns whether any was here */
  forgetDependents(on: number): boolean {
    const known = this.dependents.get(on)
    if (known === undefined) return false
    this.dependents.delete(on)
    let isAny = false
    for (const key of typeof known === 'number' ? [known] : known) {
      const kind = (key % KINDS.length) as CachedKind
      isAny = this.forget(kind, Math.floor(key / KINDS.length)) || isAny
    }
    return isAny
  }
}

/**
 * Each generation has its own index from dependencies to the cached views that depend on them. The
 * index is dropped with its generation, so entries are never removed from it. An entry may
 * therefore name a cached view that has been evicted and rebuilt since; that view is then evicted
 * once more than necessary.
 */
export class CachedViews {
  #maxBytes: number
  #young = new Generation()
  #old = new Generation()
  #generation = 0
  #changes = 0

  /** @param maxBytes - estimated bytes of all cached views. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#young.bytes + this.#old.bytes
  }

  /**
   * The number of the younger generation. A view that was read in it is reached by its
   * invalidations for as long as this number stays.
   */
  get generation(): number {
    return this.#generation
  }

  /** Goes up whenever a view is forgotten that was here. */
  get changes(): number {
    return this.#changes
  }

  /** Evicts any excess immediately. */
  limitTo(bytes: number): void {
    this.#maxBytes = bytes
    if (this.bytes > bytes) this.#begin(this.#young)
    if (this.#young.bytes > bytes / 2) this.forgetAll()
  }

  get(kind: CachedKind, id: number): CachedView | undefined {
    const cached = this.#young.views[kind]!.get(id)
    if (cached) return cached
    const aged = this.#old.views[kind]!.get(id)
    if (!aged) return undefined
    this.#old.views[kind]!.delete(id)
    this.add(kind, id, aged)
    return aged
  }

  add(kind: CachedKind, id: number, cachedView: CachedView): void {
    const mayFill = this.#maxBytes / 2
    const own = ownDependency(kind, id)
    const { dependencies } = cachedView
    const others = dependencies.length - (dependencies.includes(own) ? 1 : 0)
    const bytes = cachedViewBytes(cachedView) + others * DEPENDENCY_BYTES
    if (bytes > mayFill) return
    if (this.#young.bytes + bytes > mayFill) this.#begin(new Generation(), this.#young)
    else if (this.#young.forget(kind, id)) this.#changes++
    cachedView.isForgotten = false
    this.#young.add(kind, id, cachedView, { own, bytes })
  }

  forget(kind: CachedKind, id: number): void {
    const isYoung = this.#young.forget(kind, id)
    if (this.#old.forget(kind, id) || isYoung) this.#changes++
  }

  forgetDependents(on: number): void {
    const isYoung = this.#young.forgetDependents(on)
    if (this.#old.forgetDependents(on) || isYoung) this.#changes++
  }

  forgetAll(): void {
    this.#begin(new Generation())
  }

  #begin(young: Generation, old = new Generation()): void {
    this.#young = young
    this.#old = old
    this.#generation++
  }
}
