// A hydrated state as seen by a view for everyone: without a viewer, and watched. Whatever a view reads
// becomes its dependency, so views need not declare dependencies and cannot forget any. Each map of rows is
// replaced by one that records the ids asked for, found or not. A new map in the state needs a line in
// `rowsOf`; until then, views that read it take the slow path.

import { cardOfPost } from '../../base/atproto/at-uri.ts'
import { INVALID_HANDLE } from '../../base/atproto/handle.ts'
import { isWithoutCard } from '../hydrate/card-records.ts'
import type { BlockedPairs, FeedState, ForEveryone, ProfileState } from '../hydrate/types.ts'
import { NumberList } from '../views/json/number-list.ts'
import { dependency, type Missing } from './cached-view.ts'

/** What was observed since the last `begin`. */
class Watch implements ForEveryone {
  readonly dependencies = new NumberList()
  readonly withoutBlocks = new NumberList()
  refused = false
  notFor = 0
  before: number | undefined
  readonly now: number
  #uris: string[] = []
  #dids: string[] = []
  #cards: string[] = []

  constructor(now: number) {
    this.now = now
  }

  begin(): void {
    this.dependencies.clear()
    this.withoutBlocks.clear()
    this.refused = false
    this.notFor = 0
    this.before = undefined
    // Nearly always empty already, and then not worth a new array.
    if (this.#uris.length > 0) this.#uris = []
    if (this.#dids.length > 0) this.#dids = []
    if (this.#cards.length > 0) this.#cards = []
  }

  get missing(): Missing | undefined {
    if (this.#uris.length + this.#dids.length + this.#cards.length === 0) return undefined
    const [uris, dids, cards] = [this.#uris, this.#dids, this.#cards].map((all) => [
      ...new Set(all),
    ]) as [string[], string[], string[]]
    return { uris, dids, cards }
  }

  assumeNoBlock(uid: number): void {
    if (uid !== 0 && !this.withoutBlocks.has(uid)) this.withoutBlocks.add(uid)
  }

  /**
   * Holds one account only; a view that makes this assumption about several takes the slow path.
   */
  assumeNotViewer(uid: number): void {
    if (this.notFor !== 0 && this.notFor !== uid) this.refuse()
    this.notFor = uid
  }

  assumeBefore(ms: number): void {
    this.before = Math.min(this.before ?? ms, ms)
  }

  refuse(): void {
    this.refused = true
  }

  dependOn(on: number): void {
    if (!this.dependencies.has(on)) this.dependencies.add(on)
  }

  wantPost(uri: string): void {
    this.#uris.push(uri)
  }

  wantAccount(did: string): void {
    this.#dids.push(did)
  }

  wantCard(name: string): void {
    this.#cards.push(name)
  }
}

export type Watched<State> = { state: State; watch: Watch }

/** Dependency of the rows in each map of the state, by the map's name. */
const rowsOf: Record<string, (id: number) => number> = {
  actors: dependency.actor,
  // Every change to `about` invalidates `actor`.
  about: dependency.actor,
  posts: dependency.post,
  postRefs: dependency.post,
  threadgates: dependency.post,
  postgates: dependency.post,
  reposts: dependency.repost,
}

/** Refuses views that read any other map, since the invalidations of its rows are unknown. */
export function watchState<State extends ProfileState>(source: State): Watched<State> {
  const watch = new Watch(source.now)
  return { watch, state: new WatchedState(source, watch) as unknown as State }
}

/** A class, so that views read fields of objects of one shape. */
class WatchedState {
  readonly forEveryone: Watch
  readonly blocks: BlockedPairs
  readonly source: ProfileState

  constructor(source: ProfileState, watch: Watch) {
    this.forEveryone = watch
    this.blocks = watchBlocks(source.blocks, watch)
    this.source = source
    const fields = this as unknown as Record<string, unknown>
    for (const [name, value] of Object.entries(source)) {
      if (name in this) continue
      // From `items`, a view reads only the row it is keyed by.
      fields[name] =
        value instanceof Map && name !== 'items' ? watchRows(source, watch, name) : value
    }
  }

  // A view that asks for the viewer, the labelers or the time is valid for this request only.

  get viewer(): ProfileState['viewer'] {
    this.forEveryone.refuse()
    return this.source.viewer
  }

  get labelers(): ProfileState['labelers'] {
    this.forEveryone.refuse()
    return this.source.labelers
  }

  get now(): number {
    this.forEveryone.refuse()
    return this.source.now
  }
}

function watchRows(source: ProfileState, watch: Watch, name: string): object {
  if (name === 'associated') return watchCards(source as FeedState, watch)
  const rows = source[name as 'actors'] as Map<number, unknown>
  return new WatchedRows(rows, watcherOf(name, source, watch))
}

function watcherOf(name: string, source: ProfileState, watch: Watch): (id: number) => void {
  const row = rowsOf[name]
  if (!row) return () => watch.refuse()
  return (id) => {
    watch.dependOn(row(id))
    if (name === 'actors') wantProfile(source, watch, id)
    else if (row === dependency.post) wantIfStub(source as FeedState, watch, id)
    if (name === 'posts') wantCard(source as FeedState, watch, id)
  }
}

/**
 * A version without a row is one that its post has yet to be connected with, which invalidates the post. One with
 * labels is shown otherwise to those who ask for their labeler.
 */
function watchCards(source: FeedState, watch: Watch): WatchedRows<unknown, string> {
  const { associated, associatedRows, labelledAssociated } = source
  return new WatchedRows<unknown, string>(associated, (key) => {
    const row = associatedRows.get(key)
    if (row === undefined) return
    watch.dependOn(dependency.associated(row))
    const record = associated.get(key)
    if (!record) return
    watch.dependOn(dependency.otherLabels(record.uid))
    if (labelledAssociated.has(key)) watch.refuse()
  })
}

function wantCard(source: FeedState, watch: Watch, id: number): void {
  const post = source.posts.get(id)
  if (post && isWithoutCard(source, post)) watch.wantCard(cardOfPost(post.uri))
}

function wantProfile({ actors }: ProfileState, watch: Watch, uid: number): void {
  const actor = actors.get(uid)
  if (!actor || actor.hiddenAs) return
  if (!actor.profile || actor.handle === INVALID_HANDLE) watch.wantAccount(actor.did)
}

/**
 * In place of a map: returns what it holds, and reports each id asked for to `onGet`. Views only ask for ids, and
 * could not be watched at anything else.
 */
class WatchedRows<T, Key extends number | string = number> {
  readonly #source: ReadonlyMap<Key, T>
  readonly #onGet: (id: Key) => void

  constructor(source: ReadonlyMap<Key, T>, onGet: (id: Key) => void) {
    this.#source = source
    this.#onGet = onGet
  }

  get(id: Key): T | undefined {
    if (id !== 0) this.#onGet(id)
    return this.#source.get(id)
  }

  has(id: Key): boolean {
    return this.get(id) !== undefined
  }
}

function watchBlocks(source: BlockedPairs, watch: Watch): BlockedPairs {
  return {
    has(a, b) {
      if (a !== b && a !== 0 && b !== 0) {
        watch.dependOn(dependency.block(a, b))
        watch.dependOn(dependency.ties(a))
        watch.dependOn(dependency.ties(b))
      }
      if (source.isDisputed(a, b)) watch.refuse()
      return source.has(a, b)
    },
    isDisputed: source.isDisputed,
  }
}

function wantIfStub({ postRefs, actors }: FeedState, watch: Watch, id: number): void {
  const ref = postRefs.get(id)
  if (ref?.isStub && !actors.get(ref.uid)?.hiddenAs) watch.wantPost(ref.uri)
}
