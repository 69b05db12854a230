// Posts and reposts as events say them, kept from request to request as long as their rows are the same: unpacking and
// writing a record costs ten times what its row does (hydrate/cached-rows.ts).

import { recordUri } from '../../base/atproto/at-uri.ts'
import { unpackCid } from '../../base/atproto/keys.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { FeedEntities, FeedEntity, FeedRow } from '../../data/store/read/feed-entities.ts'
import { isSameRow, KeptRows } from '../hydrate/cached-rows.ts'
import { withFields } from './event-json.ts'
import type { Entity } from './types.ts'

/** By item, those that are here. */
type FeedEvents = (items: readonly number[]) => Map<number, Entity>

const MAX_KEPT_BYTES = 32 << 20
/** What one takes beside its text, which is there twice. */
const EVENT_BYTES = 600

export function createFeedEvents(
  actors: Pick<ActorReader, 'didOf'>,
  { rows, entities }: FeedEntities,
): FeedEvents {
  const kept = new KeptRows<FeedRow, Entity>(MAX_KEPT_BYTES)
  return (items) => {
    const found = new Map<number, Entity>()
    const unread: FeedRow[] = []
    for (const row of rows(items)) {
      const known = kept.find(row[0])
      if (known && isSameRow(known.row, row)) found.set(row[0], known.value)
      else unread.push(row)
    }
    if (unread.length === 0) return found
    const texts = entities(unread)
    for (const row of unread) {
      const text = texts.get(row[0])
      if (!text) continue
      const entity = withFields(toEntity(actors, text))
      kept.keep(row[0], row, entity, EVENT_BYTES + entity.payload.length * 4)
      found.set(row[0], entity)
    }
    return found
  }
}

function toEntity(actors: Pick<ActorReader, 'didOf'>, one: FeedEntity): Entity {
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
