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
  cached: Pick<CachedTimelines, 'events'> | undefined
}): FeedEvents {
  const { actors, entities, takedowns, cached } = parts

  function read(items: readonly number[]): Map<number, PlainEntity> {
    const found = entities(items)
    const described = [...found].map(
      ([item, feedEntity]) => [item, toEntity(actors, feedEntity)] as [number, PlainEntity],
    )
    return withoutHidden(takedowns, described)
  }

  return (arrivals) => {
    if (!cached) return read(arrivals.map(({ item }) => item))
    const found = new Map<number, Entity>()
    const unknown = new Map<number, Named>()
    for (const arrival of arrivals) {
      const known = cached.events.find(arrival.item)
      if (known) found.set(arrival.item, known)
      else unknown.set(arrival.item, arrival)
    }
    if (unknown.size === 0) return found
    for (const [item, entity] of read([...unknown.keys()])) {
      const { seq, uid } = unknown.get(item)!
      const { fields } = writeEntity(entity)
      const entry = { fields, bytes: EVENT_BYTES + fields.length, seq, uid }
      cached.events.add(item, entry)
      found.set(item, entry)
    }
    return found
  }
}

function toEntity(actors: Pick<ActorReader, 'didOf'>, feedEntity: FeedEntity): PlainEntity {
  const actor = actors.didOf(feedEntity.uid)
  const head = `{"actor":${JSON.stringify(actor)},"cid":"${unpackCid(feedEntity.cid)}"`
  const { subject } = feedEntity
  if (subject) {
    const uri = recordUri(actors.didOf(subject.uid), 'app.bsky.feed.post', subject.rkey)
    return {
      id: recordUri(actor, 'app.bsky.feed.repost', feedEntity.rkey),
      type: 'repost',
      payload: `${head},"subject":${JSON.stringify({ uri })}}`,
      producerTs: feedEntity.createdAt,
    }
  }
  return {
    id: recordUri(actor, 'app.bsky.feed.post', feedEntity.rkey),
    type: feedEntity.isReply ? 'reply' : 'post',
    payload: `${head},"record":${feedEntity.record ?? 'null'}}`,
    producerTs: feedEntity.createdAt,
  }
}
