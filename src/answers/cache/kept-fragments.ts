// Fragments kept from request to request, until one of the things that they were made of changes, or
// until there is no room.
//
// Bounded by bytes, in two generations (as answers/hydrate/kept-rows.ts): what was not asked for while the
// younger one filled up is forgotten with the older one. Each generation has an index of its own, from
// what fragments depend on to those that do; it goes with its generation, so nothing has to be taken
// out of it. An entry may therefore name a fragment that was forgotten and made anew meanwhile: then
// that one is forgotten once more than need be.

import {
  type Fragment,
  type FragmentKind,
  fragmentBytes,
  KINDS,
  ownDependency,
} from './fragment.ts'

const DEPENDENCY_BYTES = 130

type Entry = { fragment: Fragment; dependencies: readonly number[]; bytes: number }

class Generation {
  readonly entries = KINDS.map(() => new Map<number, Entry>())
  /** Fragments as `id * KINDS.length + kind`. */
  readonly dependents = new Map<number, number | number[]>()
  bytes = 0

  add(kind: FragmentKind, id: number, entry: Entry): void {
    this.entries[kind]!.set(id, entry)
    this.bytes += entry.bytes
    const key = id * KINDS.length + kind
    for (const on of entry.dependencies) {
      const known = this.dependents.get(on)
      if (known === undefined) this.dependents.set(on, key)
      else if (typeof known === 'number') this.dependents.set(on, [known, key])
      else known.push(key)
    }
  }

  forget(kind: FragmentKind, id: number): void {
    // Its bytes count on until the generation ends: so does what the index holds of it.
    this.entries[kind]!.delete(id)
  }

  forgetDependents(on: number): void {
    const known = this.dependents.get(on)
    if (known === undefined) return
    this.dependents.delete(on)
    for (const key of typeof known === 'number' ? [known] : known) {
      this.forget((key % KINDS.length) as FragmentKind, Math.floor(key / KINDS.length))
    }
  }
}

export class KeptFragments {
  readonly #maxBytes: number
  #young = new Generation()
  #old = new Generation()

  /** @param maxBytes - of everything kept, as estimated. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#young.bytes + this.#old.bytes
  }

  get(kind: FragmentKind, id: number): Fragment | undefined {
    const kept = this.#young.entries[kind]!.get(id)
    if (kept) return kept.fragment
    const aged = this.#old.entries[kind]!.get(id)
    if (!aged) return undefined
    this.#old.forget(kind, id)
    this.#add(kind, id, aged)
    return aged.fragment
  }

  /** @param dependencies - fragment.ts `dependency`; the row that it is keyed by goes without saying. */
  keep(
    kind: FragmentKind,
    id: number,
    fragment: Fragment,
    dependencies: readonly number[] = [],
  ): void {
    const own = ownDependency(kind, id)
    const others = dependencies.filter((on) => on !== own)
    const bytes = fragmentBytes(fragment) + others.length * DEPENDENCY_BYTES
    this.#add(kind, id, { fragment, dependencies: others, bytes })
  }

  forget(kind: FragmentKind, id: number): void {
    this.#young.forget(kind, id)
    this.#old.forget(kind, id)
  }

  forgetDependents(on: number): void {
    this.#young.forgetDependents(on)
    this.#old.forgetDependents(on)
  }

  forgetAll(): void {
    this.#young = new Generation()
    this.#old = new Generation()
  }

  #add(kind: FragmentKind, id: number, entry: Entry): void {
    const mayFill = this.#maxBytes / 2
    if (entry.bytes > mayFill) return
    if (this.#young.bytes + entry.bytes > mayFill) {
      this.#old = this.#young
      this.#young = new Generation()
    }
    this.#young.add(kind, id, entry)
  }
}
