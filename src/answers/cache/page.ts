// One page being put together: writes fragments with their holes filled, and notes what it lacks on
// the way. Nothing is loaded here; fragments.ts loads what is lacking and has the page write again.

import { HOLE } from '../views/holes.ts'
import { FRAGMENT, type Fragment, type FragmentKind, KINDS, type Missing } from './fragment.ts'
import type { KeptFragments } from './kept-fragments.ts'
import { ACTED_UPON, type LabelMemory, type SaidOf } from './label-memory.ts'
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
  readonly #now = Date.now()
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
    if (fragment && fragment.before > this.#now) return fragment
    if (fragment) this.#kept.forget(kind, id)
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
    if (fragment.forMembersOnly && !this.#viewer) this.#isUnfit = true
    if (fragment.notFor !== 0 && fragment.notFor === this.#viewer?.uid) this.#isUnfit = true
    if (fragment.missing) this.missing.add(fragment.missing)
    const { holes, withoutBlocks } = fragment
    for (let i = 0; i < withoutBlocks.length; i++) {
      if (this.relation(withoutBlocks[i]!).blocks) this.#isUnfit = true
    }
    const pieces = this.#labels ? this.#labelled(fragment, this.#labels) : fragment.pieces
    let text = pieces[0]!
    for (let i = 0; i < holes.length; i += 2) {
      text += this.#filled(fragment, holes[i]!, holes[i + 1]!) + pieces[i / 2 + 1]!
    }
    return text
  }

  /** Whether the labelers of this request act upon a post or an account; see `isLacking`. */
  isActedUpon(subject: number): boolean {
    return this.#labels !== undefined && this.#saidOf(subject, this.#labels) === ACTED_UPON
  }

  /** Nothing, where it is lacking. */
  #saidOf(subject: number, labels: LabelMemory): SaidOf {
    const said = labels.get(subject)
    if (said !== undefined) return said
    this.lack.labels.add(subject)
    this.#lacks()
    return ''
  }

  /** Its pieces with the labels in them. */
  #labelled({ pieces, labelSubjects, labelSpots }: Fragment, labels: LabelMemory) {
    let isAny = false
    for (let i = 0; i < labelSubjects.length; i++) {
      const said = this.#saidOf(labelSubjects[i]!, labels)
      if (said === ACTED_UPON) this.#isUnfit = true
      else if (said !== '') isAny = true
    }
    return isAny ? withLabelsIn(pieces, labelSpots, labels) : pieces
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

/** From the last spot to the first, so that places hold. See Fragment `labelSpots`. */
function withLabelsIn(
  pieces: readonly string[],
  spots: readonly number[],
  labels: LabelMemory,
): readonly string[] {
  const labelled = [...pieces]
  for (let i = spots.length - 3; i >= 0; i -= 3) {
    const [said, piece, at] = [labels.get(spots[i]!), spots[i + 1]!, spots[i + 2]!]
    if (typeof said !== 'string' || said === '') continue
    const [before, after] = [labelled[piece]!.slice(0, at), labelled[piece]!.slice(at)]
    labelled[piece] = `${before}${said}${after.startsWith(']') ? '' : ','}${after}`
  }
  return labelled
}
