// `likes:<did>` and `follows:<did>`: what a member liked and whom they followed, in order of arrival.

import { recordUri } from '../../../base/atproto/at-uri.ts'
import { collectionCodes, collections } from '../../../base/atproto/collections.ts'
import { unpackCid } from '../../../base/atproto/keys.ts'
import { type ActorReader, HIDDEN } from '../../../data/graph/types.ts'
import type { TakedownReader } from '../../../data/store/read/moderation/takedowns.ts'
import type { Act, ActArrivals } from '../store/read/act-arrivals.ts'
import { eventIdIn } from './event-json.ts'
import { withoutHidden } from './notification-source.ts'
import type { TimelineKey } from './timeline-key.ts'
import type { PlainEntity, TimelineSource } from './types.ts'

type Named = { actors: Pick<ActorReader, 'didOf'>; takedowns: TakedownReader }

const LIKE = collectionCodes['app.bsky.feed.like']
const FOLLOW = collectionCodes['app.bsky.graph.follow']

type ActKind = Extract<TimelineKey['kind'], 'likes' | 'follows'>

/** The collection of a timeline's records, as its number. */
export const actCollections: Readonly<Record<ActKind, number>> = { likes: LIKE, follows: FOLLOW }

export function isActKind(kind: TimelineKey['kind']): kind is ActKind {
  return Object.hasOwn(actCollections, kind)
}

export function createActSource(parts: {
  key: string
  kind: ActKind
  uid: number
  actors: Pick<ActorReader, 'didOf' | 'flagsOf'>
  acts: ActArrivals
  takedowns: TakedownReader
}): TimelineSource<Act> {
  const { key, kind, uid, actors, acts } = parts
  const of = { uid, collection: actCollections[kind] }
  const isHidden = () => (actors.flagsOf(uid) & HIDDEN) !== 0
  return {
    key,
    numbers: 'acts',
    tip: () => acts.tip(),
    read(range) {
      const events = isHidden() ? [] : acts.read(of, range)
      const isEnd = events.length < range.limit
      return { events, reached: events.at(-1)?.seq ?? range.at, isEnd }
    },
    before: (seq) => acts.read(of, { at: seq, isForward: false, limit: 1 })[0]?.seq,
    describe: (events) => describeActs(parts, events),
    eventId: (seq) => eventIdIn(key, seq),
    gaps: () => [],
  }
}

/** By number, without records hidden by the operator. */
export function describeActs(
  { actors, takedowns }: Named,
  events: readonly Act[],
): Map<number, PlainEntity> {
  const all = events.map((act): [number, PlainEntity] => [act.seq, actEntity(actors, act)])
  return withoutHidden(takedowns, all)
}

function actEntity(actors: Named['actors'], act: Act): PlainEntity {
  const { uid, collection, rkey, cid, createdAt } = act
  const actor = actors.didOf(uid)
  return {
    id: recordUri(actor, nameOf(collection), rkey),
    type: collection === LIKE ? 'like' : 'follow',
    payload: JSON.stringify({ actor, cid: unpackCid(cid), subject: subjectOf(actors, act) }),
    producerTs: createdAt,
  }
}

function subjectOf(
  actors: Named['actors'],
  { subjectUid, subjectCollection, subjectRkey }: Act,
): { uri: string } | { did: string } {
  const did = actors.didOf(subjectUid)
  if (subjectCollection === null || subjectRkey === null) return { did }
  return { uri: recordUri(did, nameOf(subjectCollection), subjectRkey) }
}

function nameOf(code: number): string {
  return collections.find((name) => collectionCodes[name] === code) ?? ''
}
