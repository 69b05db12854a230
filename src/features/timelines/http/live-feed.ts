// New events for all timelines that have listeners. One read of the new rows serves all listeners of this
// thread: topics are indexed by author, by member, by list and by name. A list that its owner reads is another
// topic than the same list for programs, since blocks with the owner hold there.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import type { IsDrawn } from '../../../data/graph/lossiness.ts'
import { HIDDEN } from '../../../data/graph/types.ts'
import { isRepostItem } from '../../../data/store/timelines/item-ids.ts'
import { actCollections, describeActs } from '../sources/act-source.ts'
import type { CachedTimelines } from '../sources/cached-timelines.ts'
import { customEntity } from '../sources/custom-source.ts'
import { entityIdOf } from '../sources/event-json.ts'
import { describeNotifications } from '../sources/notification-source.ts'
import { describeArrivals, type Readers, type SourceContext } from '../sources/open-sources.ts'
import type { TimelineKey } from '../sources/timeline-key.ts'
import type { Entity, TimelineGap, TimelineSource } from '../sources/types.ts'
import type { Arrival } from '../store/read/arrivals.ts'
import { gapsBetween, idOf, type Topic, topicName, viewerOf } from './live-topic.ts'

export type NewEvent = { id: string; seq: number; receivedAt: number; entity: Entity }

export type Delivery = {
  topic: Topic
  /** In ascending order. */
  events: NewEvent[]
  /** Skipped numbers, for a numbered timeline. */
  gaps: TimelineGap[]
  /** Events of the timeline that came earlier, and whose records were deleted since. */
  deleted: DeletedEvent[]
}

/** `isEnd`: that was all. */
type Look = { deliveries: Delivery[]; isEnd: boolean }

export type DeletedEvent = { id: string; seq: number; entityId: string }

export type LiveFeed = {
  /** @param source - the source of this key */
  join(key: TimelineKey, source: TimelineSource): Topic
  leave(topic: Topic): void
  /** Returns what arrived or was deleted since the last call, or part of that if it is much. */
  look(): Look
}

const CHUNK = 1_000
/** Events of programs may be large. */
const POSTED_CHUNK = 100
const TOUCHED_CHUNK = 16
/** Looking at arrivals, and at deleted ones, ends after as many events, in all timelines together, or as long. */
const MOST_FOUND = 500
const LOOK_MS = 10
/** An event of the cache. */
type Touched =
  ReturnType<CachedTimelines['takeTouched']> extends ReadonlyMap<number, infer T> ? T : never
type Named = Pick<Arrival, 'seq' | 'uid' | 'item'>
type Index = Map<number, Topic>
type IndexName = Exclude<TimelineKey['kind'], 'custom'> | 'ownList'

export function createLiveFeed(context: SourceContext, readers: Readers): LiveFeed {
  return new Feed(context, readers)
}

class Feed implements LiveFeed {
  readonly #context: SourceContext
  readonly #readers: Readers
  readonly #topics = new Map<string, Topic>()
  readonly #by = {
    following: index(),
    author: index(),
    list: index(),
    ownList: index(),
    notifications: index(),
    likes: index(),
    follows: index(),
  } satisfies Record<IndexName, Index>
  /** Of one look. */
  readonly #listsOf = new Map<number, readonly number[]>()
  readonly #tips = { arrivals: 0, notifications: 0, acts: 0, change: 0 }

  constructor(context: SourceContext, readers: Readers) {
    this.#context = context
    this.#readers = readers
  }

  join(key: TimelineKey, source: TimelineSource): Topic {
    if (this.#topics.size === 0) this.#begin()
    if (this.#topics.size === 0) this.#readers.kept?.watchTouched(true)
    const name = topicName(key)
    const found = this.#topics.get(name)
    if (found) {
      found.listeners++
      return found
    }
    const id = idOf(this.#context, this.#readers, key)
    const latest = source.before(source.tip() + 1)
    const viewer = viewerOf(this.#context, key, id)
    const topic: Topic = { key, source, id, viewer, latest, listeners: 1 }
    this.#topics.set(name, topic)
    this.#indexOf(key)?.set(id, topic)
    return topic
  }

  leave(topic: Topic): void {
    topic.listeners--
    if (topic.listeners > 0) return
    this.#topics.delete(topicName(topic.key))
    this.#indexOf(topic.key)?.delete(topic.id)
    if (this.#topics.size === 0) this.#readers.kept?.watchTouched(false)
  }

  /** Timelines of programs are found by name, since one may have no row yet. */
  #indexOf({ kind, isForOwner }: TimelineKey): Index | undefined {
    if (kind === 'custom') return undefined
    return this.#by[isForOwner ? 'ownList' : kind]
  }

  look(): Look {
    if (this.#topics.size === 0) return { deliveries: [], isEnd: true }
    this.#readers.begin()
    this.#listsOf.clear()
    const found = new Map<Topic, NewEvent[]>()
    const deleted = new Map<Topic, DeletedEvent[]>()
    const ends = [
      this.#lookAtArrivals(found),
      this.#lookAtNotifications(found),
      this.#lookAtActs(found),
      this.#lookAtCustom(found),
      this.#lookAtDeleted(deleted),
    ]
    const deliveries = [...new Set([...deleted.keys(), ...found.keys()])].map((topic) => {
      const events = found.get(topic) ?? []
      const gaps = gapsBetween(this.#readers, topic, events)
      return { topic, events, gaps, deleted: deleted.get(topic) ?? [] }
    })
    return { deliveries, isEnd: ends.every((isEnd) => isEnd) }
  }

  /** Skips everything that arrived while there were no listeners. */
  #begin(): void {
    const { acts, arrivals, notifications, custom } = this.#readers
    this.#tips.arrivals = arrivals.tip()
    this.#tips.notifications = notifications.tip()
    this.#tips.acts = acts.tip()
    this.#tips.change = custom.lastChange()
  }

  /** Iterates over the smaller set: the author's followers, or the topics. */
  *#followersListening({ uid, item }: Named, isDrawn: IsDrawn): Generator<Topic> {
    const { graph } = this.#context
    const { following } = this.#by
    const own = following.get(uid)
    if (own) yield own
    const isTaken = (owner: number) => owner !== uid && isDrawn(owner, item)
    if (following.size <= graph.followersCount(uid)) {
      for (const [owner, topic] of following) {
        if (graph.has(owner, uid) && isTaken(owner)) yield topic
      }
      return
    }
    for (const owner of followersOf(graph, uid)) {
      const topic = following.get(owner)
      if (topic && isTaken(owner)) yield topic
    }
  }

  *#listeningTo(arrival: Named, isDrawn = this.#context.isDrawn): Generator<Topic> {
    const { author, following, list, ownList } = this.#by
    const ofAuthor = author.get(arrival.uid)
    if (ofAuthor) yield ofAuthor
    if (following.size > 0) yield* this.#followersListening(arrival, isDrawn)
    if (list.size + ownList.size === 0 || isRepostItem(arrival.item)) return
    for (const id of this.#listsWith(arrival.uid)) {
      const [forPrograms, forOwner] = [list.get(id), ownList.get(id)]
      if (forPrograms) yield forPrograms
      if (forOwner) yield forOwner
    }
  }

  /** Those with listeners. Anyone may be on a hundred thousand lists, and post often. */
  #listsWith(uid: number): readonly number[] {
    const before = this.#listsOf.get(uid)
    if (before) return before
    const { list, ownList } = this.#by
    const found = this.#readers.lists.listsAmong(uid, [
      ...new Set([...list.keys(), ...ownList.keys()]),
    ])
    this.#listsOf.set(uid, found)
    return found
  }

  /** @returns whether that was all */
  #lookAtArrivals(found: Map<Topic, NewEvent[]>): boolean {
    const rows = this.#readers.arrivals.all({
      at: this.#tips.arrivals,
      isForward: true,
      limit: CHUNK,
    })
    const pairs: [Topic, Arrival][] = []
    const until = performance.now() + LOOK_MS
    let looked = 0
    for (; looked < rows.length; looked++) {
      const arrival = rows[looked]!
      const isMuch = pairs.length >= MOST_FOUND || performance.now() > until
      if (isMuch && looked > 0) break
      this.#tips.arrivals = arrival.seq
      if ((this.#context.actors.flagsOf(arrival.uid) & HIDDEN) !== 0) continue
      for (const topic of this.#listeningTo(arrival)) pairs.push([topic, arrival])
    }
    this.#describe(found, pairs)
    return rows.length < CHUNK && looked === rows.length
  }

  #describe(found: Map<Topic, NewEvent[]>, pairs: readonly [Topic, Arrival][]): void {
    if (pairs.length === 0) return
    const blocked = blockedPairs(
      this.#readers,
      pairs.map(([{ viewer }, { uid }]) => [viewer, uid]),
    )
    const arrivals = new Set(pairs.map(([, arrival]) => arrival))
    const entities = describeArrivals(this.#readers, [...arrivals])
    for (const [topic, { seq, uid, at }] of pairs) {
      const entity = entities.get(seq)
      if (entity && !blocked.has(`${topic.viewer} ${uid}`))
        add(found, topic, { seq, receivedAt: at, entity })
    }
  }

  /**
   * Only events that are still cached are known. Whether a lossy timeline had a deleted post is not,
   * so it also reports deletions of posts that it never had.
   * @returns whether those were all
   */
  #lookAtDeleted(found: Map<Topic, DeletedEvent[]>): boolean {
    const until = performance.now() + LOOK_MS
    let count = 0
    do {
      const touched = this.#readers.kept?.takeTouched(TOUCHED_CHUNK) ?? new Map()
      for (const [topic, event] of this.#deletedAmong(touched)) {
        const events = found.get(topic)
        if (events) events.push(event)
        else found.set(topic, [event])
        count++
      }
      if (touched.size < TOUCHED_CHUNK) return true
    } while (count < MOST_FOUND && performance.now() < until)
    return false
  }

  #deletedAmong(touched: ReadonlyMap<number, Touched>): [Topic, DeletedEvent][] {
    const all = [...touched].map(([item, cachedEvent]) => ({ item, ...cachedEvent }))
    if (all.length === 0) return []
    const missing = new Set(this.#readers.arrivals.missing(all.map(({ seq }) => seq)))
    // Back into the cache, for a later deletion.
    describeArrivals(
      this.#readers,
      all.filter(({ seq }) => !missing.has(seq)),
    )
    const pairs = all
      .filter(({ seq }) => missing.has(seq))
      .flatMap((item) =>
        [...this.#listeningTo(item, () => true)].map((topic) => [topic, item] as const),
      )
    const blocked = blockedPairs(
      this.#readers,
      pairs.map(([{ viewer }, { uid }]) => [viewer, uid]),
    )
    return pairs.flatMap(([topic, item]): [Topic, DeletedEvent][] => {
      if (blocked.has(`${topic.viewer} ${item.uid}`)) return []
      const { seq } = item
      const id = topic.source.eventId(seq, item)
      return [[topic, { id, seq, entityId: entityIdOf(item) }]]
    })
  }

  #lookAtNotifications(found: Map<Topic, NewEvent[]>): boolean {
    const { actors } = this.#context
    const { notifications, takedowns } = this.#readers
    const topics = this.#by.notifications
    if (topics.size === 0) {
      this.#tips.notifications = notifications.tip()
      return true
    }
    const range = { at: this.#tips.notifications, isForward: true, limit: CHUNK }
    const rows = notifications.read(undefined, range)
    this.#tips.notifications = rows.at(-1)?.seq ?? this.#tips.notifications
    const heard = rows.filter(({ uid }) => topics.has(uid))
    const entities = describeNotifications({ actors, takedowns }, heard)
    const blocked = blockedPairs(
      this.#readers,
      heard.map(({ uid, author }) => [uid, author]),
    )
    for (const row of heard) {
      const { seq, at } = row
      const entity = entities.get(seq)
      const isHidden = (actors.flagsOf(row.author) & HIDDEN) !== 0
      if (entity && !isHidden && !blocked.has(`${row.uid} ${row.author}`))
        add(found, topics.get(row.uid)!, { seq, receivedAt: at, entity })
    }
    return rows.length < CHUNK
  }

  #lookAtActs(found: Map<Topic, NewEvent[]>): boolean {
    const { actors } = this.#context
    const { acts, takedowns } = this.#readers
    const { likes, follows } = this.#by
    if (likes.size + follows.size === 0) {
      this.#tips.acts = acts.tip()
      return true
    }
    const rows = acts.read(undefined, { at: this.#tips.acts, isForward: true, limit: CHUNK })
    this.#tips.acts = rows.at(-1)?.seq ?? this.#tips.acts
    const topicOf = ({ uid, collection }: (typeof rows)[number]) =>
      (collection === actCollections.likes ? likes : follows).get(uid)
    const heard = rows.filter(topicOf)
    const entities = describeActs({ actors, takedowns }, heard)
    for (const row of heard) {
      const { seq, uid, at } = row
      const entity = entities.get(seq)
      const isHidden = (actors.flagsOf(uid) & HIDDEN) !== 0
      if (entity && !isHidden) add(found, topicOf(row)!, { seq, receivedAt: at, entity })
    }
    return rows.length < CHUNK
  }

  /** A timeline of which there is more counts as unchanged until it is read to its end: `latest` tells how far. */
  #lookAtCustom(found: Map<Topic, NewEvent[]>): boolean {
    const { custom } = this.#readers
    let read = 0
    for (const { id, name, change } of custom.changedSince(this.#tips.change)) {
      if (read >= POSTED_CHUNK) return false
      const topic = this.#topics.get(`custom:${name}`)
      if (topic) {
        topic.id = id
        const range = { at: topic.latest ?? 0, isForward: true, limit: POSTED_CHUNK }
        const rows = custom.read(id, range)
        for (const row of rows) {
          const { seq, receivedAt } = row
          add(found, topic, { seq, receivedAt, entity: customEntity(row) })
        }
        read += rows.length
        if (rows.length === POSTED_CHUNK) return false
      }
      this.#tips.change = change
    }
    return true
  }
}

function index(): Index {
  return new Map()
}

function* followersOf(graph: Pick<FollowGraphReader, 'followers'>, uid: number): Generator<number> {
  const page = new Uint32Array(CHUNK)
  for (let count = CHUNK, after = 0; count === CHUNK; after = page[count - 1] ?? 0) {
    count = graph.followers(uid, after, page)
    yield* page.slice(0, count)
  }
}

function add(found: Map<Topic, NewEvent[]>, topic: Topic, item: Omit<NewEvent, 'id'>): void {
  const event = { ...item, id: topic.source.eventId(item.seq, item.entity) }
  const events = found.get(topic)
  if (events) events.push(event)
  else found.set(topic, [event])
}

/** @param pairs - of a viewer, or 0, and an account */
function blockedPairs(
  { blocks }: Readers,
  pairs: readonly (readonly [number, number])[],
): Set<string> {
  const related = pairs.filter(([viewer, uid]) => viewer !== 0 && viewer !== uid)
  if (related.length === 0) return new Set()
  const { direct, byList } = blocks.blocked(related)
  return new Set([...direct, ...byList].map(([owner, uid]) => `${owner} ${uid}`))
}
