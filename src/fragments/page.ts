// One page being put together: writes fragments with their holes filled, and notes what it lacks on
// the way. Nothing is loaded here; fragments.ts loads what is lacking and has the page write again.

import { HOLE } from '../views/holes.ts'
import { FRAGMENT, type Fragment, type FragmentKind, KINDS, type Missing } from './fragment.ts'
import type { KeptFragments } from './kept-fragments.ts'
import type { LabelMemory } from './label-memory.ts'
import { NO_VIEWER } from './load-viewer.ts'
import type { KnownRelation, ViewerMemory } from './viewer-memory.ts'

/** What is not in memory; emptied by whoever has loaded it. */
export class Lack {
  readonly fragments = KINDS.map(() => new Set<number>())
  readonly relations = new Set<number>()
  readonly posts = new Set<number>()
  readonly gated = new Map<number, Fragment>()
  /** Posts and accounts, as their `dependency`. */
  readonly labels = new Set<number>()
  isAny = false

  clear(): void {
    for (const ids of this.fragments) ids.clear()
    this.relations.clear()
    this.posts.clear()
    this.gated.clear()
    this.labels.clear()
    this.isAny = false
  }
}

/** `lacking`: something is not loaded. `unfit`: only the slow path can say what this viewer sees. */
export type Written = { text: string; state: 'ready' | 'lacking' | 'unfit' }

export class Page {
  readonly lack = new Lack()
  readonly missing = new Set<Missing>()
  readonly #kept: KeptFragments
  /** Undefined for visitors. */
  readonly #viewer: ViewerMemory | undefined
  /** Undefined where nobody's labels count. */
  readonly #labels: LabelMemory | undefined
  #isUnfit = false
  /** Since the last `begin`. */
  isLacking = false

  constructor(
    kept: KeptFragments,
    viewer: ViewerMemory | undefined,
    labels: LabelMemory | undefined,
  ) {
    this.#kept = kept
    this.#viewer = viewer
    this.#labels = labels
  }

  /** @returns undefined where it is lacking. */
  fragment(kind: FragmentKind, id: number): Fragment | undefined {
    const fragment = this.#kept.get(kind, id)
    if (fragment) return fragment
    this.lack.fragments[kind]!.add(id)
    this.#lacks()
    return undefined
  }

  /** Nothing, where it is lacking or there is nobody. */
  relation(uid: number): KnownRelation {
    if (!this.#viewer || uid === 0) return NO_VIEWER
    const relation = this.#viewer.relations.get(uid)
    if (relation) return relation
    this.lack.relations.add(uid)
    this.#lacks()
    return NO_VIEWER
  }

  /** The object of a fragment for this viewer. */
  write(fragment: Fragment): Written {
    this.begin()
    const text = `${this.#open(fragment)}}`
    const state = this.isLacking ? 'lacking' : this.#isUnfit ? 'unfit' : 'ready'
    return { text, state }
  }

  begin(): void {
    this.#isUnfit = false
    this.isLacking = false
  }

  #lacks(): void {
    this.isLacking = true
    this.lack.isAny = true
  }

  /** Without the brace at its end. */
  #open(fragment: Fragment | undefined): string {
    if (!fragment) return ''
    if (fragment.showing !== 'shown') {
      this.#isUnfit = true
      return ''
    }
    if (fragment.missing) this.missing.add(fragment.missing)
    const { pieces, holes, withoutBlocks } = fragment
    for (let i = 0; i < withoutBlocks.length; i++) {
      if (this.relation(withoutBlocks[i]!).blocks) this.#isUnfit = true
    }
    if (this.#labels) this.#lookForLabels(this.#labels, fragment.withoutLabels)
    let text = pieces[0]!
    for (let i = 0; i < holes.length; i += 2) {
      text += this.#filled(fragment, holes[i]!, holes[i + 1]!) + pieces[i / 2 + 1]!
    }
    return text
  }

  /** Whether the labelers of this request say anything about a post or an account; see `isLacking`. */
  isLabelled(subject: number): boolean {
    const isLabelled = this.#labels?.get(subject)
    if (isLabelled === undefined && this.#labels) {
      this.lack.labels.add(subject)
      this.#lacks()
    }
    return isLabelled ?? false
  }

  #lookForLabels(labels: LabelMemory, subjects: readonly number[]): void {
    for (let i = 0; i < subjects.length; i++) {
      const isLabelled = labels.get(subjects[i]!)
      if (isLabelled) this.#isUnfit = true
      else if (isLabelled === undefined) {
        this.lack.labels.add(subjects[i]!)
        this.#lacks()
      }
    }
  }

  /** Everything that may stand in a hole: one line for each kind. */
  #filled(fragment: Fragment, kind: number, id: number): string {
    switch (kind) {
      case HOLE.profile:
        return this.#open(this.fragment(FRAGMENT.profile, id))
      case HOLE.post:
        return this.#open(this.fragment(FRAGMENT.post, id))
      case HOLE.counts:
        return this.#open(this.fragment(FRAGMENT.counts, id))
      case HOLE.allCounts:
        return this.#allCounts(this.fragment(FRAGMENT.counts, id))
      case HOLE.profileViewer:
        return this.relation(id).text
      case HOLE.postViewer:
        return this.#postViewer(fragment, id)
      default:
        return this.#gatedPostViewer(fragment, id)
    }
  }

  /** See makeCounts. */
  #allCounts(counts: Fragment | undefined): string {
    return counts ? this.#open(counts) + counts.pieces[1]! : ''
  }

  #postViewer(fragment: Fragment, id: number): string {
    const viewer = this.#viewer
    if (!viewer) return ''
    if (fragment.author === viewer.uid) return this.#gatedPostViewer(fragment, id)
    const text = viewer.posts.get(id)
    if (text !== undefined) return text
    this.lack.posts.add(id)
    this.#lacks()
    return ''
  }

  #gatedPostViewer(fragment: Fragment, id: number): string {
    const viewer = this.#viewer
    if (!viewer) return ''
    const known = viewer.gated.get(id)
    if (known?.fragment === fragment) return known.text
    this.lack.gated.set(id, fragment)
    this.#lacks()
    return ''
  }
}
