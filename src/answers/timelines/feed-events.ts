// Posts and reposts as event entities, cached across pages if there are invalidations: reading, unpacking and
// serialising a record costs a hundred times as much as looking it up.

import { recordUri } from '../../base/atproto/at-uri.ts'
import { unpackCid } from '../../base/atproto/keys.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { FeedEntities, FeedEntity } from '../../data/store/read/feed-entities.ts'
import type { TakedownReader } from '../../data/store/read/takedowns.ts'
import { writeEntity } from './event-json.ts'
import type { KeptTimelines } from './kept.ts'
import { withoutHidden } from './notification-source.ts'
import type { Entity, PlainEntity } from './types.ts'

/** By item; only items that exist and are not hidden by the operator. */
type FeedEvents = (items: readonly number[]) => ReadonlyMap<number, Entity>

/** Bytes of one cached event besides its text. */
const EVENT_BYTES = 150

export function createFeedEvents(parts: {
  actors: Pick<ActorReader, 'didOf'>
  entities: FeedEntities
  takedowns: TakedownReader
  kept: Pick<KeptTimelines, 'events'> | undefined
}): FeedEvents {
  const { actors, entities, takedowns, kept } = parts

  function read(items: readonly number[]): Map<number, PlainEntity> {
    const found = entities(items)
    const described = [...found].map(
      ([item, one]) => [item, toEntity(actors, one)] as [number, PlainEntity],
    )
    return withoutHidden(takedowns, described)
  }

  return (items) => {
    if (!kept) return read(items)
    const found = new Map<number, Entity>()
    const unknown: number[] = []
    for (const item of items) {
      const known = kept.events.find(item)
      if (known) found.set(item, known)
      else unknown.push(item)
    }
    if (unknown.length === 0) return found
    for (const [item, entity] of read(unknown)) {
      const { fields } = writeEntity(entity)
      const one = { fields, bytes: EVENT_BYTES + fields.length }
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
