// Posts and reposts as event entities, cached across pages if there are invalidations: reading, unpacking and
// serialising a record costs a hundred times as much as looking it up.

import { recordUri } from '../../../base/atproto/at-uri.ts'
import { unpackCid } from '../../../base/atproto/keys.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { TakedownReader } from '../../../data/store/read/moderation/takedowns.ts'
import type { FeedEntities, FeedEntity } from '../../../data/store/read/posts/feed-entities.ts'
import type { Arrival } from '../store/read/arrivals.ts'
import type { CachedTimelines } from './cached-timelines.ts'
import { writeEntity } from './event-json.ts'
import { withoutHidden } from './notification-source.ts'
import type { Entity, PlainEntity } from './types.ts'

/** By item; only items that exist and are not hidden by the operator. */
type FeedEvents = (arrivals: readonly Named[]) => ReadonlyMap<number, Entity>

type Named = Pick<Arrival, 'seq' | 'uid' | 'item'>

/** Bytes of one cached event besides its text. */
const EVENT_BYTES = 170

export function createFeedEvents(parts: {
  actors: Pick<ActorReader, 'didOf'>
  entities: FeedEntities
  takedowns: TakedownReader
  kept: Pick<CachedTimelines, 'events'> | undefined
}): FeedEvents {
  const { actors, entities, takedowns, kept } = parts

  function read(items: readonly number[]): Map<number, PlainEntity> {
    const found = entities(items)
    const described = [...found].map(
      ([item, one]) => [item, toEntity(actors, one)] as [number, PlainEntity],
    )
    return withoutHidden(takedowns, described)
  }

  return (arrivals) => {
    if (!kept) return read(arrivals.map(({ item }) => item))
    const found = new Map<number, Entity>()
    const unknown = new Map<number, Named>()
    for (const arrival of arrivals) {
      const known = kept.events.find(arrival.item)
      if (known) found.set(arrival.item, known)
      else unknown.set(arrival.item, arrival)
    }
    if (unknown.size === 0) return found
    for (const [item, entity] of read([...unknown.keys()])) {
      const { seq, uid } = unknown.get(item)!
      const { fields } = writeEntity(entity)
      const one = { fields, bytes: EVENT_BYTES + fields.length, seq, uid }
      kept.events.keep(item, one)
      found.set(item, one)
    }
    return found
  }
}

function toEntity(actors: Pick<ActorReader, 'didOf'>, one: FeedEntity): PlainEntity {
  const actor = actors.didOf(one.uid)
  const head = `{"actor":${JSON.stringify(actor)},"cid":"${unpackCid(one.cid)}"`
  const { subject } = one
  if (subject) {
    const uri = recordUri(actors.didOf(subject.uid), 'app.bsky.feed.post', subject.rkey)
    return {
      id: recordUri(actor, 'app.bsky.feed.repost', one.rkey),
      type: 'repost',
      payload: `${head},"subject":${JSON.stringify({ uri })}}`,
      producerTs: one.createdAt,
    }
  }
  return {
    id: recordUri(actor, 'app.bsky.feed.post', one.rkey),
    type: one.isReply ? 'reply' : 'post',
    payload: `${head},"record":${one.record ?? 'null'}}`,
    producerTs: one.createdAt,
  }
}
