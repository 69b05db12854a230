// Relations of recent viewers to accounts and their actions on posts, as the JSON that fills the slots of
// cached views. Bounded by bytes: the viewer away longest is evicted first, and one viewer exceeding its
// share is cleared. `posts` holds the `viewer` of posts without gates, nearly all without any action.
// `gated` holds that of the viewer's own posts and of posts whose gates had to be checked; it is valid only
// with the cached view it was made for, which is replaced when the gates change.

import { currentCall } from '../../base/util/turn.ts'
import type { LikerList } from '../hydrate/known-likers.ts'
import type { KnownLikers } from '../hydrate/types.ts'
import type { RelationRules } from '../views/rules.ts'
import type { CachedView } from './cached-view.ts'
import type { DrawnLikers } from './drawn-likers.ts'
import { nextVersion } from './versions.ts'

export type KnownRelation = RelationRules & {
  /** Byte text: `,"viewer":{…}`, or empty for visitors. */
  text: string
}

/** `list` is undefined for viewers who are no members, whom no list serves. */
export type KnownLikersOfPost = KnownLikers & {
  readonly list: LikerList | undefined
  /** Set when they are written for the second time. */
  drawn?: DrawnLikers
  isWritten?: boolean
}

const MAP_ENTRY_BYTES = 48
const VIEWER_BYTES = 1_000
/** Two or three pages on which every post shows known likers. */
const MAX_DRAWN_BYTES = 200_000
/** Largest share of the memory that one viewer may fill. */
const MAX_SHARE = 1 / 4

export class ViewerMemory {
  readonly uid: number
  readonly relations = new Map<number, KnownRelation>()
  readonly posts = new Map<number, string>()
  readonly gated = new Map<number, { cachedView: CachedView; text: string }>()
  /** Those of each post's list that the viewer follows; valid only with that list. */
  readonly likers = new Map<number, KnownLikersOfPost>()
  /** An upper estimate: it only grows until the memory is cleared. */
  bytes = VIEWER_BYTES
  /** The part of `bytes` that is in the total. */
  countedBytes = 0
  /** Whether the viewer came since its eviction was last considered. */
  isUsed = false
  /** Another one whenever something is forgotten; no two memories share one. */
  version = nextVersion()
  #drawnBytes = 0
  /** The call for whose next part the visit goes on. */
  heldFor: ReturnType<typeof currentCall>
  readonly #passing: number[] = []
  readonly #passingLikers: number[] = []

  constructor(uid: number) {
    this.uid = uid
  }

  addRelation(uid: number, relation: KnownRelation, isShared: boolean): void {
    this.relations.set(uid, relation)
    this.bytes += MAP_ENTRY_BYTES + (isShared ? 0 : relation.text.length + 72)
  }

  /** Whether something is held for this visit only. */
  get hasPassing(): boolean {
    return this.#passing.length + this.#passingLikers.length > 0
  }

  /** Whether the relation to one of these is held for this visit only. */
  isPassing(uids: readonly number[]): boolean {
    return uids.some((uid) => this.#passing.includes(uid))
  }

  /** Holds the relation for this visit only. */
  holdRelation(uid: number, relation: KnownRelation): void {
    this.relations.set(uid, relation)
    this.#passing.push(uid)
  }

  addLikers(post: number, known: KnownLikersOfPost): void {
    this.likers.set(post, known)
    this.bytes += MAP_ENTRY_BYTES + 120 + known.uids.length * 8
  }

  addDrawn(known: KnownLikersOfPost, drawn: DrawnLikers): void {
    const bytes = drawn.text.length + 300
    if (this.#drawnBytes + bytes > MAX_DRAWN_BYTES) return
    known.drawn = drawn
    this.#drawnBytes += bytes
    this.bytes += bytes
  }

  clearLikers(): void {
    this.version = nextVersion()
    this.likers.clear()
    this.bytes -= this.#drawnBytes
    this.#drawnBytes = 0
  }

  /** Holds them for this visit only. */
  holdLikers(post: number, known: KnownLikersOfPost): void {
    this.likers.set(post, known)
    this.#passingLikers.push(post)
  }

  endVisit(): void {
    this.heldFor = undefined
    for (const uid of this.#passing) this.relations.delete(uid)
    this.#passing.length = 0
    for (const post of this.#passingLikers) this.likers.delete(post)
    this.#passingLikers.length = 0
  }

  addPost(id: number, text: string, isShared: boolean): void {
    this.posts.set(id, text)
    this.bytes += MAP_ENTRY_BYTES + (isShared ? 0 : text.length + 24)
  }

  addGated(id: number, cachedView: CachedView, text: string): void {
    this.gated.set(id, { cachedView, text })
    this.bytes += MAP_ENTRY_BYTES + text.length + 64
  }

  /** Also drops gated posts, since gates depend on relations between accounts. */
  forgetRelation(uid: number): void {
    if (this.relations.delete(uid) || this.gated.size > 0) this.version = nextVersion()
    this.gated.clear()
  }

  forgetPost(id: number): void {
    this.posts.delete(id)
    this.gated.delete(id)
    this.version = nextVersion()
  }

  forgetPosts(): void {
    this.posts.clear()
    this.gated.clear()
    this.version = nextVersion()
  }

  forgetRelations(): void {
    this.relations.clear()
    this.gated.clear()
    this.clearLikers()
  }

  clear(): void {
    this.posts.clear()
    this.forgetRelations()
    this.bytes = VIEWER_BYTES
  }
}

export class ViewerMemories {
  #maxBytes: number
  /** In the order in which they will be considered for eviction. */
  readonly #viewers = new Map<number, ViewerMemory>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The memory of a viewer whose request begins; `leave` keeps it. */
  visit(uid: number): ViewerMemory {
    const viewer = this.#viewers.get(uid)
    // A visit that failed was not left.
    if (viewer?.heldFor === undefined || viewer.heldFor !== currentCall()) viewer?.endVisit()
    return viewer ?? new ViewerMemory(uid)
  }

  /** The memory of a viewer whose answer is ready; undefined if it was evicted. */
  pass(uid: number): ViewerMemory | undefined {
    const viewer = this.#viewers.get(uid)
    if (viewer) viewer.isUsed = true
    return viewer
  }

  /** Keeps the memory, and evicts others to make room. */
  leave(viewer: ViewerMemory): void {
    const call = currentCall()
    // A page that is presented in parts is one visit, unless another comes between.
    if (call?.hasMoreParts) viewer.heldFor = call
    else viewer.endVisit()
    if (viewer.bytes > this.#maxBytes * MAX_SHARE) viewer.clear()
    if (viewer.countedBytes === 0) this.#viewers.set(viewer.uid, viewer)
    this.#bytes += viewer.bytes - viewer.countedBytes
    viewer.countedBytes = viewer.bytes
    viewer.isUsed = true
    this.#makeRoom()
  }

  /** Evicts any excess immediately. */
  limitTo(bytes: number): void {
    this.#maxBytes = bytes
    this.#makeRoom()
  }

  /** Evicts those away longest, as base/util/lru.ts does. */
  #makeRoom(): void {
    if (this.#bytes <= this.#maxBytes) return
    for (const [uid, viewer] of this.#viewers) {
      this.#viewers.delete(uid)
      if (viewer.isUsed) {
        viewer.isUsed = false
        this.#viewers.set(uid, viewer)
        continue
      }
      this.#bytes -= viewer.countedBytes
      viewer.countedBytes = 0
      if (this.#bytes <= this.#maxBytes) return
    }
  }

  /**
   * Drops the relation between two accounts, whichever of them is the viewer. The first may now
   * follow the second, or no longer does.
   */
  forgetBetween(uid: number, otherUid: number): void {
    const own = this.#viewers.get(uid)
    own?.forgetRelation(otherUid)
    own?.clearLikers()
    this.#viewers.get(otherUid)?.forgetRelation(uid)
  }

  /** Drops all relations between the account and any other. */
  forgetAllBetween(uid: number): void {
    for (const viewer of this.#viewers.values()) viewer.forgetRelation(uid)
    this.#viewers.get(uid)?.forgetRelations()
  }

  forgetPost(uid: number, post: number): void {
    this.#viewers.get(uid)?.forgetPost(post)
  }

  forgetPosts(uid: number): void {
    this.#viewers.get(uid)?.forgetPosts()
  }

  forgetAll(): void {
    for (const viewer of this.#viewers.values()) viewer.countedBytes = 0
    this.#viewers.clear()
    this.#bytes = 0
  }
}
