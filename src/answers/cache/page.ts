// One page in the making: writes cached views with their slots filled, and records what is missing. It loads
// nothing itself: view-cache.ts loads what is missing and has the page write again.

import type { LikersOf } from '../hydrate/hydrator-types.ts'
import { type LikerLists, NO_LIKERS, PRESENTED_LIKERS } from '../hydrate/known-likers.ts'
import type { AccountPair } from '../hydrate/types.ts'
import { ReadyJson } from '../views/json/ready-json.ts'
import { SLOT } from '../views/json/slots.ts'
import { CACHED, type CachedKind, type CachedView, KINDS, type Missing } from './cached-view.ts'
import type { CachedViews } from './cached-views.ts'
import { DrawnLikers } from './drawn-likers.ts'
import type { KnownBlocks } from './known-blocks.ts'
import { ACTED_UPON, type LabelMemory, type LabelState } from './label-memory.ts'
import { NO_VIEWER } from './load-viewer.ts'
import type { PageSources } from './page-sources.ts'
import { withLabelsIn, withoutBrace } from './spliced-text.ts'
import type { KnownLikersOfPost, KnownRelation, ViewerMemory } from './viewer-memory.ts'

/** Keys that are not in memory; cleared by the code that loads them. */
export class Misses {
  readonly viewCache = KINDS.map(() => new Set<number>())
  readonly relations = new Set<number>()
  readonly posts = new Set<number>()
  readonly gated = new Map<number, CachedView>()
  /** Authors by posts.id, for the viewer's known likers of these. */
  readonly likers = new Map<number, number>()
  /** Pairs of accounts that may have a block between them. */
  readonly pairs: AccountPair[] = []
  /** Posts and accounts, as their `dependency`. */
  readonly labels = new Set<number>()
  isAny = false

  clear(): void {
    for (const ids of this.viewCache) ids.clear()
    this.relations.clear()
    this.posts.clear()
    this.gated.clear()
    this.likers.clear()
    this.pairs.length = 0
    this.labels.clear()
    this.isAny = false
  }
}

/**
 * `misses`: something is not loaded yet. `unfit`: only the slow path can present this to the
 * viewer.
 */
export type Written = { view: ReadyJson; state: 'ready' | 'misses' | 'unfit' }

/** Which posts of a page show their known likers, and from what. */
export type LikersOnPage = {
  of: LikersOf
  /** Undefined for viewers who are no members. */
  lists: LikerLists | undefined
  blocks: KnownBlocks
}

type WrittenFor = {
  labels: LabelMemory | undefined
  likers: LikersOnPage | undefined
  now: number
  sources?: PageSources | undefined
}

export class Page {
  /** Created on the first miss, since most pages have none. */
  #misses: Misses | undefined
  #missing: Set<Missing> | undefined
  readonly #kept: CachedViews
  readonly #now: number
  /** Undefined for visitors. */
  readonly #viewer: ViewerMemory | undefined
  /** Undefined if no labels count. */
  readonly #labels: LabelMemory | undefined
  /** Undefined for visitors. */
  readonly #likers: LikersOnPage | undefined
  /** Undefined unless the page may be kept. */
  readonly #sources: PageSources | undefined
  #isUnfit = false
  #parts: string[] = []
  /** Since the last `begin`. */
  hasMisses = false

  constructor(
    views: CachedViews,
    viewer: ViewerMemory | undefined,
    { labels, likers, now, sources }: WrittenFor,
  ) {
    this.#kept = views
    this.#now = now
    this.#viewer = viewer
    this.#labels = labels
    this.#likers = likers
    this.#sources = sources
  }

  get misses(): Misses {
    this.#misses ??= new Misses()
    return this.#misses
  }

  /** What the written views need and the index lacks. */
  get missing(): Iterable<Missing> {
    return this.#missing ?? []
  }

  /** @returns undefined if it is not cached. */
  cachedView(kind: CachedKind, id: number): CachedView | undefined {
    const cachedView = this.#kept.get(kind, id)
    if (cachedView) {
      const { before } = cachedView
      if (before === undefined || before > this.#now) {
        this.#sources?.addView(cachedView)
        return cachedView
      }
      this.#kept.forget(kind, id)
    }
    this.misses.viewCache[kind]!.add(id)
    this.#lacks()
    return undefined
  }

  /** Returns NO_VIEWER if the relation is not loaded or there is no viewer or account. */
  relation(uid: number): KnownRelation {
    if (!this.#viewer || uid === 0) return NO_VIEWER
    const relation = this.#viewer.relations.get(uid)
    if (relation) return relation
    this.misses.relations.add(uid)
    this.#lacks()
    return NO_VIEWER
  }

  /** Writes the JSON object of a cached view for this viewer. */
  write(cachedView: CachedView): Written {
    this.begin()
    const parts: string[] = []
    this.#parts = parts
    this.#open(cachedView)
    parts.push('}')
    const state = this.hasMisses ? 'misses' : this.#isUnfit ? 'unfit' : 'ready'
    return { view: new ReadyJson(parts), state }
  }

  begin(): void {
    this.#isUnfit = false
    this.hasMisses = false
  }

  #lacks(): void {
    this.hasMisses = true
    this.misses.isAny = true
  }

  /** Writes the object without its closing brace. */
  #open(cachedView: CachedView | undefined): void {
    if (!cachedView) return
    if (cachedView.showing !== 'shown') {
      this.#isUnfit = true
      return
    }
    if (cachedView.forMembersOnly && !this.#viewer) this.#isUnfit = true
    if (cachedView.notFor !== 0 && cachedView.notFor === this.#viewer?.uid) this.#isUnfit = true
    if (cachedView.missing) this.noteMissing(cachedView)
    const { slots, withoutBlocks } = cachedView
    for (let i = 0; i < withoutBlocks.length; i++) {
      if (this.relation(withoutBlocks[i]!).blocks) this.#isUnfit = true
    }
    const pieces = this.#labels ? this.#labelled(cachedView, this.#labels) : cachedView.pieces
    const parts = this.#parts
    parts.push(pieces[0]!)
    for (let i = 0; i < slots.length; i += 2) {
      this.#fill(cachedView, slots[i]!, slots[i + 1]!)
      parts.push(pieces[i / 2 + 1]!)
    }
  }

  /** Notes what a view lacks, or what an item lacks that cannot be shown without it. */
  noteMissing({ missing }: CachedView): void {
    if (!missing) return
    this.#missing ??= new Set()
    this.#missing.add(missing)
  }

  /**
   * Whether the labelers of this request act upon a post or an account; check `hasMisses`
   * afterwards.
   */
  isActedUpon(subject: number): boolean {
    return this.#labels !== undefined && this.#saidOf(subject, this.#labels) === ACTED_UPON
  }

  /** Returns an empty text if the labels are not loaded. */
  #saidOf(subject: number, labels: LabelMemory): LabelState {
    const labelState = labels.get(subject)
    if (labelState !== undefined) return labelState
    this.misses.labels.add(subject)
    this.#lacks()
    return ''
  }

  /** The view's pieces with the labels inserted. */
  #labelled({ pieces, labelSubjects, labelSpots }: CachedView, labels: LabelMemory) {
    let isAny = false
    for (let i = 0; i < labelSubjects.length; i++) {
      const labelState = this.#saidOf(labelSubjects[i]!, labels)
      if (labelState === ACTED_UPON) this.#isUnfit = true
      else if (labelState !== '') isAny = true
    }
    return isAny ? withLabelsIn(pieces, labelSpots, labels) : pieces
  }

  /** Fills one slot: one case for each kind. */
  #fill(cachedView: CachedView, kind: number, id: number): void {
    switch (kind) {
      case SLOT.profile:
        return this.#open(this.cachedView(CACHED.profile, id))
      case SLOT.post:
        return this.#open(this.cachedView(CACHED.post, id))
      case SLOT.counts:
        return this.#open(this.cachedView(CACHED.counts, id))
      case SLOT.allCounts:
        return this.#allCounts(this.cachedView(CACHED.counts, id))
      case SLOT.profileViewer:
        return this.#add(this.relation(id).text)
      case SLOT.postViewer:
        return this.#addPostViewer(cachedView, id, this.#postViewer(cachedView, id))
      default:
        return this.#addPostViewer(cachedView, id, this.#gatedPostViewer(cachedView, id))
    }
  }

  #add(text: string): void {
    if (text !== '') this.#parts.push(text)
  }

  #addPostViewer(cachedView: CachedView, id: number, text: string): void {
    const likers = this.#likers
    if (likers === undefined || (likers.of === 'roots' && !cachedView.isRoot)) {
      return this.#add(text)
    }
    const { author } = cachedView
    const known = this.#knownLikers(likers, id, author)
    if (known === undefined || known.count === 0 || text === '') return this.#add(text)
    const { drawn } = known
    const before = withoutBrace(text)
    if (drawn?.before === before && this.#isCurrent(likers, known, author)) {
      this.#parts.push(drawn.text)
    } else this.#addLikers(likers, known, { before, author })
  }

  /** @returns undefined if nobody whom members follow likes the post, or that is not loaded */
  #knownLikers(
    { lists }: LikersOnPage,
    post: number,
    author: number,
  ): KnownLikersOfPost | undefined {
    const list = lists?.get(post)
    if (list) this.#sources?.addList(post, list)
    if (list === NO_LIKERS) return undefined
    const known = this.#viewer!.likers.get(post)
    if (known !== undefined && known.list === list) return known
    this.misses.likers.set(post, author)
    this.#lacks()
    return undefined
  }

  /** Writes the viewer object with the first of them that no block or mute hides. */
  #addLikers(
    { blocks }: LikersOnPage,
    known: KnownLikersOfPost,
    { before, author }: { before: string; author: number },
  ): void {
    this.#parts.push(before)
    const { uids } = known
    const from = this.#parts.push(`,"knownLikers":{"count":${known.count},"actors":[`) - 1
    let visible = 0
    let looked = 0
    for (; looked < uids.length && visible < PRESENTED_LIKERS; looked++) {
      const uid = uids[looked]!
      const relation = this.relation(uid)
      if (relation.blocks || relation.mutes || this.#isBlocked(blocks, author, uid)) continue
      const view = this.cachedView(CACHED.profile, uid)
      if (view?.showing === 'absent') continue
      if (visible > 0) this.#parts.push('},')
      this.#open(view)
      visible++
    }
    this.#parts.push(visible > 0 ? '}]}}' : ']}}')
    if (!known.isWritten) known.isWritten = true
    else if (looked === visible) this.#draw(known, { before, from, visible })
  }

  /** Keeps what was written of the first accounts, unless it is for this page alone. */
  #draw(
    known: KnownLikersOfPost,
    { before, from, visible }: { before: string; from: number; visible: number },
  ): void {
    const viewer = this.#viewer!
    if (this.hasMisses) return
    const uids = known.uids.slice(0, visible)
    const views = uids.map((uid) => this.#kept.get(CACHED.profile, uid))
    const relations = uids.map((uid) => viewer.relations.get(uid))
    if (!areAll(views) || !areAll(relations) || !views.every((view) => this.#isPlain(view))) return
    if (viewer.isPassing(uids)) return
    const likers = this.#parts.slice(from).join('')
    viewer.addDrawn(known, new DrawnLikers({ before, likers }, views, relations))
  }

  /** Whether these would be written in the same way now. */
  #isCurrent(
    { blocks }: LikersOnPage,
    { drawn, uids }: KnownLikersOfPost,
    author: number,
  ): boolean {
    const { views, relations } = drawn!
    const seen = { views: this.#kept, viewer: this.#viewer!, blocks, labels: this.#labels }
    if (drawn!.isSurelyCurrent(seen)) {
      if (this.#sources) for (const view of views) this.#sources.addView(view)
      return true
    }
    for (let i = 0; i < views.length; i++) {
      const uid = uids[i]!
      if (this.#kept.get(CACHED.profile, uid) !== views[i]) return false
      if (this.#viewer!.relations.get(uid) !== relations[i]) return false
      if (uid !== author && blocks.between(author, uid) !== 'free') return false
      if (this.#labels && !this.#isPlain(views[i]!)) return false
      this.#sources?.addView(views[i]!)
    }
    drawn!.renew(seen)
    return true
  }

  /** Whether every viewer of this page gets the view, and without labels. */
  #isPlain({
    showing,
    withoutBlocks,
    labelSubjects,
    missing,
    notFor,
    before,
  }: CachedView): boolean {
    if (showing !== 'shown' || withoutBlocks.length > 0 || missing) return false
    if (notFor !== 0 || before !== undefined) return false
    return !this.#labels || labelSubjects.every((subject) => this.#labels!.get(subject) === '')
  }

  #isBlocked(blocks: KnownBlocks, uid: number, other: number): boolean {
    if (uid === other) return false
    const known = blocks.between(uid, other)
    if (known === undefined) {
      this.misses.pairs.push([uid, other])
      this.#lacks()
    }
    if (known === 'disputed') this.#isUnfit = true
    return known === 'blocked'
  }

  /** See makeCounts. */
  #allCounts(counts: CachedView | undefined): void {
    if (!counts) return
    this.#open(counts)
    this.#parts.push(counts.pieces[1]!)
  }

  #postViewer(cachedView: CachedView, id: number): string {
    const viewer = this.#viewer
    if (!viewer) return ''
    if (cachedView.author === viewer.uid) return this.#gatedPostViewer(cachedView, id)
    const text = viewer.posts.get(id)
    if (text !== undefined) return text
    this.misses.posts.add(id)
    this.#lacks()
    return ''
  }

  #gatedPostViewer(cachedView: CachedView, id: number): string {
    const viewer = this.#viewer
    if (!viewer) return ''
    const known = viewer.gated.get(id)
    if (known?.cachedView === cachedView) return known.text
    this.misses.gated.set(id, cachedView)
    this.#lacks()
    return ''
  }
}

function areAll<T>(found: (T | undefined)[]): found is T[] {
  return !found.includes(undefined)
}
