// Every method that this server has. Builds what they share from its parts, once.

import type { Writer } from '../bridge.ts'
import type { ActorReader, FollowGraphReader } from '../graph/types.ts'
import type { Hydrator } from '../hydrate/types.ts'
import type { GuardedFetch } from '../identity/guarded-fetch.ts'
import type { Resolver } from '../identity/resolver.ts'
import { createAccounts } from '../skeleton/accounts.ts'
import { createAuthorFeedSkeleton } from '../skeleton/author-feed.ts'
import { createAccountLists } from '../skeleton/follow-lists.ts'
import { createKnownFollowers } from '../skeleton/known-followers.ts'
import { BadCursorError } from '../skeleton/page-cursor.ts'
import { createRecords } from '../skeleton/records.ts'
import { createTimelineSkeleton, type TimelineParts } from '../skeleton/timeline.ts'
import type { Db } from '../store/db.ts'
import { createMergedFeed } from '../store/merged-feed.ts'
import type { TimelineReader } from '../timeline/types.ts'
import { createActorNames } from './actor-names.ts'
import { getProfile } from './app/bsky/actor/getProfile.ts'
import { getProfiles } from './app/bsky/actor/getProfiles.ts'
import { getAuthorFeed } from './app/bsky/feed/getAuthorFeed.ts'
import { getFeed } from './app/bsky/feed/getFeed.ts'
import { getFeedGenerators } from './app/bsky/feed/getFeedGenerators.ts'
import { getPosts } from './app/bsky/feed/getPosts.ts'
import { getTimeline } from './app/bsky/feed/getTimeline.ts'
import { getBlocks } from './app/bsky/graph/getBlocks.ts'
import { getFollowers } from './app/bsky/graph/getFollowers.ts'
import { getFollows } from './app/bsky/graph/getFollows.ts'
import { getKnownFollowers } from './app/bsky/graph/getKnownFollowers.ts'
import { getMutes } from './app/bsky/graph/getMutes.ts'
import { getRelationships } from './app/bsky/graph/getRelationships.ts'
import { muteActor } from './app/bsky/graph/muteActor.ts'
import { unmuteActor } from './app/bsky/graph/unmuteActor.ts'
import { getServices } from './app/bsky/labeler/getServices.ts'
import { resolveHandle } from './com/atproto/identity/resolveHandle.ts'
import { getRecord } from './com/atproto/repo/getRecord.ts'
import { invalidRequest } from './errors.ts'
import { createFirstPage } from './first-page.ts'
import { getSocialProof } from './io/slipstream/graph/getSocialProof.ts'
import type { Method } from './method.ts'
import type { Serving } from './serving.ts'
import { createWanted } from './wanted.ts'

export type MethodParts = {
  /** A connection that is only read from. */
  db: Db
  actors: ActorReader
  graph: FollowGraphReader
  timelines: TimelineReader
  /** Whether a lossy timeline keeps an item: the draw that also decided what the rings hold. */
  keeps: TimelineParts['keeps']
  hydrator: Hydrator
  writer: Writer
  resolver: Pick<Resolver, 'resolve' | 'resolveHandle'>
  fetch: GuardedFetch
  /** How long a newcomer's first page is waited for; 0 where not given. */
  firstPagePatienceMs?: number
}

export function createMethods(parts: MethodParts): Method[] {
  const serving = createServing(parts)
  const methods: Method[] = [
    getTimeline(serving),
    getPosts(serving),
    getAuthorFeed(serving),
    getFeed(),
    getFeedGenerators(),
    getProfile(serving),
    getProfiles(serving),
    getFollows(serving),
    getFollowers(serving),
    getKnownFollowers(serving),
    getRelationships(serving),
    getSocialProof(serving),
    muteActor(serving),
    unmuteActor(serving),
    getMutes(serving),
    getBlocks(serving),
    getServices(),
    resolveHandle(serving),
    getRecord(serving),
  ]
  return methods.map(refusingBadCursors)
}

function createServing(parts: MethodParts): Serving {
  const { db, actors, graph } = parts
  const accounts = createAccounts(db)
  return {
    ...parts,
    accounts,
    firstPage: createFirstPage({ accounts, patienceMs: parts.firstPagePatienceMs ?? 0 }),
    records: createRecords(db),
    timeline: createTimelineSkeleton({ ...parts, feed: createMergedFeed(db) }),
    authorFeed: createAuthorFeedSkeleton(db),
    lists: createAccountLists({ db, actors }),
    knownFollowers: createKnownFollowers({ graph, actors }),
    names: createActorNames({ ...parts, accounts }),
    wanted: createWanted(parts),
  }
}

/** A cursor that we could not have written is the client's mistake, in every method. */
function refusingBadCursors(method: Method): Method {
  const refuse = (error: unknown): never => {
    if (error instanceof BadCursorError) throw invalidRequest(error.message)
    throw error
  }
  return {
    ...method,
    handler(context) {
      try {
        const result = method.handler(context)
        return result instanceof Promise ? result.catch(refuse) : result
      } catch (error) {
        return refuse(error)
      }
    },
  }
}
