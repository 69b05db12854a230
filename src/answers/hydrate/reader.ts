// The viewer and the time that data is read for: created once per request and passed down, so that reads
// depend on nothing else. A state keeps it (types.ts). It also collects what the index lacks, for the caller
// to fetch.

import { cardOfPost } from '../../base/atproto/at-uri.ts'
import { INVALID_HANDLE } from '../../base/atproto/handle.ts'
import { type Labelers, NO_LABELERS } from '../../base/atproto/labelers.ts'
import { isWithoutCard } from './card-records.ts'
import type { FeedState, ProfileState, Viewer } from './types.ts'

export type Reader = {
  readonly viewer: Viewer
  readonly labelers: Labelers
  /** Milliseconds since 1970. */
  readonly now: number
  readonly missing: MissingSet
  /** The operator and their moderation services also see what was taken down. */
  readonly seesTakenDown: boolean
}

export function createReader(
  viewer: Viewer,
  options: { labelers?: Labelers; now?: number; seesTakenDown?: boolean } = {},
): Reader {
  const { labelers = NO_LABELERS, now = Date.now(), seesTakenDown = false } = options
  return { viewer, labelers, now, missing: new MissingSet(), seesTakenDown }
}

/** The same reader without a viewer, as if not signed in. */
export function asVisitor({ labelers, now }: Reader): Reader {
  return createReader(undefined, { labelers, now })
}

/** The same reader without labelers. */
export function withoutLabelers({ viewer, now, seesTakenDown }: Reader): Reader {
  return createReader(viewer, { now, seesTakenDown })
}

/** A reader without viewer and labelers: data read for it may be cached for everyone. */
export function asEveryone({ now }: Reader): Reader {
  return createReader(undefined, { now })
}

// What the answer needs and our index lacks: records by at-URI, and accounts without a profile or a valid
// handle.

type Missing = {
  uris?: readonly string[]
  dids?: readonly string[]
  cards?: readonly string[]
}

export class MissingSet {
  /** Created on the first missing record, since most answers lack nothing. */
  #uris: Set<string> | undefined
  #dids: Set<string> | undefined
  #cards: Set<string> | undefined

  get uris(): ReadonlySet<string> {
    return this.#uris ?? NONE
  }

  get dids(): ReadonlySet<string> {
    return this.#dids ?? NONE
  }

  /**
   * Names of posts' link cards (`cardOfPost`) of which records are missing: a link is shown until
   * they arrive, and nobody waits for them.
   */
  get cards(): ReadonlySet<string> {
    return this.#cards ?? NONE
  }

  get isEmpty(): boolean {
    return this.uris.size + this.dids.size === 0
  }

  add({ uris = [], dids = [], cards = [] }: Missing): void {
    if (uris.length > 0) this.#uris = withAll(this.#uris, uris)
    if (dids.length > 0) this.#dids = withAll(this.#dids, dids)
    if (cards.length > 0) this.#cards = withAll(this.#cards, cards)
  }

  /** Adds the posts that a page points at and the accounts that it shows. */
  addFeed(state: FeedState): void {
    if (!state.viewer) return
    const cards = [...state.posts.values()].filter((post) => isWithoutCard(state, post))
    this.add({
      uris: [...stubsIn(state), ...embeddedNotStored(state)],
      cards: cards.map(({ uri }) => cardOfPost(uri)),
    })
    this.addProfiles(state)
  }

  /** Adds accounts never seen with a profile, and those whose handle is not verified yet. */
  addProfiles({ viewer, actors }: ProfileState): void {
    if (!viewer) return
    const dids: string[] = []
    for (const { did, hiddenAs, handle, profile } of actors.values()) {
      if (!hiddenAs && (!profile || handle === INVALID_HANDLE)) dids.push(did)
    }
    this.add({ dids })
  }
}

const NONE: ReadonlySet<string> = new Set()

function withAll(known: Set<string> | undefined, more: readonly string[]): Set<string> {
  const all = known ?? new Set()
  for (const value of more) all.add(value)
  return all
}

/** at-URIs of posts that are only pointed at. */
function stubsIn({ postRefs, actors }: FeedState): string[] {
  const uris: string[] = []
  for (const { isStub, uid, uri } of postRefs.values()) {
    if (isStub && !actors.get(uid)?.hiddenAs) uris.push(uri)
  }
  return uris
}

/** at-URIs of missing lists, feeds and other records that these posts embed. */
function embeddedNotStored({ posts, lists, records }: FeedState): string[] {
  const uris: string[] = []
  for (const { embedded } of posts.values()) {
    if (!embedded || embedded.collection === 'app.bsky.feed.post') continue
    if (!lists.has(embedded.id ?? 0) && !records.has(embedded.uri)) uris.push(embedded.uri)
  }
  return uris
}
