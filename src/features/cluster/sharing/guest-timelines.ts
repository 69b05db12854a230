// The newest part of home timelines of members whose buckets are on other nodes: a few hundred entries each,
// for members who read recently. Each starts with the end of the member's log on the engine (shared-homes.ts)
// and grows by arrivals in this node's own rows, which are scanned when the member reads. So from its floor
// on, it holds what a ring would.

import type { FollowGraphReader, TimelineEntry, TimelineReader } from '@slipstream/follow-graph'
import { LruMap } from '../../../base/util/lru.ts'
import type { IsDrawn } from '../../../data/graph/lossiness.ts'
import { type ActorReader, HIDDEN } from '../../../data/graph/types.ts'
import { INVALIDATION } from '../../../data/shared-memory/invalidation-kinds.ts'
import type { InvalidationReader } from '../../../data/shared-memory/invalidation-ring.ts'
import type { Arrival } from '../../timelines/store/read/arrivals.ts'
import type { LoggedItems, NamedItem } from '../../timelines/store/read/logged-items.ts'
import type { ArrivalTail } from './arrival-tail.ts'

export type GuestTimelines = TimelineReader & {
  /** Starts a timeline with all items at or after `floor` that arrived up to number `seq`. */
  begin(owner: number, start: GuestStart): void
  /** Whether a page can be read from it, after applying changes since. */
  has(owner: number): boolean
  size(): number
}

export type GuestStart = { items: Iterable<NamedItem>; floor: number; seq: number }

type Dependencies = {
  actors: Pick<ActorReader, 'flagsOf'>
  graph: Pick<FollowGraphReader, 'has'>
  isDrawn: IsDrawn
  items: LoggedItems
  tail: ArrivalTail
  /** Used only here. */
  invalidations: InvalidationReader
}

type Guest = {
  /** Newest first. */
  entries: TimelineEntry[]
  floor: number
  /** Number of the last arrival scanned. */
  seq: number
  /** Number of the last change to feeds that its entries were checked against. */
  checked: number
}

const MAX_GUESTS = 2_000
const MAX_ENTRIES = 192
const MAX_FEEDS = 50_000

/**
 * Entries excluded by current follows, hiding or deletion are filtered on reading. If the member
 * follows an account whose earlier posts may be missing, the timeline is dropped, and pages come
 * from rows until it is started again.
 */
export function createGuestTimelines(parts: Dependencies): GuestTimelines {
  const guests = new Guests(parts)
  return {
    begin: (owner, start) => guests.begin(owner, start),
    has: (owner) => guests.current(owner) !== undefined,
    size: () => guests.size,
    isOpen: (owner) => guests.current(owner) !== undefined,
    read(owner, before, limit) {
      const guest = guests.current(owner)
      if (!guest) return undefined
      const isBelow = ({ sortAt }: TimelineEntry) => !before || sortAt < before.sortAt
      const entries = guest.entries.filter(
        (entry) => isBelow(entry) && isVisible(parts, owner, entry),
      )
      return { entries: entries.slice(0, limit), truncated: true }
    },
  }
}

function isVisible(
  { actors, graph }: Dependencies,
  owner: number,
  { originator }: TimelineEntry,
): boolean {
  if (originator === owner) return true
  return (actors.flagsOf(originator) & HIDDEN) === 0 && graph.has(owner, originator)
}

class Guests {
  readonly #parts: Dependencies
  #all = new LruMap<number, Guest>(MAX_GUESTS)
  /** Number of the last feed change, by account. */
  readonly #feeds = new Map<number, number>()
  #changes = 0

  constructor(parts: Dependencies) {
    this.#parts = parts
  }

  get size(): number {
    return this.#all.size
  }

  begin(owner: number, { items, floor, seq }: GuestStart): void {
    this.#takeInvalidations()
    const guest = { entries: [], floor, seq, checked: this.#changes }
    add(guest, items)
    this.#all.set(owner, guest)
  }

  /** Brings a timeline up to date: adds arrivals, drops deleted items. */
  current(owner: number): Guest | undefined {
    this.#takeInvalidations()
    const guest = this.#all.get(owner)
    if (!guest) return undefined
    const { tail } = this.#parts
    const news = tail.after(guest.seq)
    if (!news) {
      this.#all.delete(owner)
      return undefined
    }
    const taken = news.filter((arrival) => this.#takes(owner, arrival)).map(({ item }) => item)
    if (taken.length > 0) add(guest, this.#parts.items.byItem(taken).values())
    guest.seq = news.at(-1)?.seq ?? guest.seq
    this.#dropGone(guest)
    return guest
  }

  #takes(owner: number, { uid, item }: Arrival): boolean {
    if (uid === owner) return true
    return this.#parts.graph.has(owner, uid) && this.#parts.isDrawn(owner, item)
  }

  #dropGone(guest: Guest): void {
    if (guest.checked === this.#changes) return
    const isInDoubt = ({ originator }: TimelineEntry) =>
      (this.#feeds.get(originator) ?? 0) > guest.checked
    const doubtful = guest.entries.filter(isInDoubt).map(({ item }) => item)
    guest.checked = this.#changes
    if (doubtful.length === 0) return
    const here = this.#parts.items.byItem(doubtful)
    const gone = new Set(doubtful.filter((item) => !here.has(item)))
    if (gone.size > 0) guest.entries = guest.entries.filter(({ item }) => !gone.has(item))
  }

  #takeInvalidations(): void {
    const isAll = this.#parts.invalidations.take((kind, uid) => {
      if (kind === INVALIDATION.relation || kind === INVALIDATION.relations) this.#all.delete(uid)
      else if (kind === INVALIDATION.feed) this.#feeds.set(uid, ++this.#changes)
    })
    if (isAll && this.#feeds.size <= MAX_FEEDS) return
    this.#feeds.clear()
    this.#all = new LruMap(MAX_GUESTS)
  }
}

/** Above the limit, drops the oldest entries and raises the floor. */
function add(guest: Guest, items: Iterable<NamedItem>): void {
  const known = new Set(guest.entries.map(({ item }) => item))
  for (const { item, uid, sortAt } of items) {
    if (sortAt < guest.floor || known.has(item)) continue
    known.add(item)
    guest.entries.push({ sortAt, rank: 0, item, originator: uid })
  }
  guest.entries.sort((a, b) => b.sortAt - a.sortAt)
  const first = guest.entries[MAX_ENTRIES]
  if (!first) return
  guest.floor = first.sortAt + 1
  guest.entries = guest.entries.filter(({ sortAt }) => sortAt >= guest.floor)
}
