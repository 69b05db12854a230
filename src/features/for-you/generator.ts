// For You as a feed generator, for users of other servers: the record of one account names this server, which
// answers whoever's server asks with a token of theirs, without making them members.

import type { AppBskyFeedGetFeedSkeleton } from '@atproto/api'
import { recordUri } from '../../base/atproto/at-uri.ts'
import { XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { DidService } from '../../http/server/well-known.ts'
import type { Call } from '../../http/xrpc/call.ts'
import { type MethodDefinition, query } from '../../http/xrpc/define.ts'
import { languagesOf } from '../../http/xrpc/feeds/own-feeds.ts'

export const COLLECTION = 'app.bsky.feed.generator'
export const RKEY = 'for-you'
export const SKELETON = 'app.bsky.feed.getFeedSkeleton'

type SkeletonCall = Call<AppBskyFeedGetFeedSkeleton.QueryParams & { limit: number }>

export function generatorUri(publisher: string): string {
  return recordUri(publisher, COLLECTION, RKEY)
}

/** The service to which other servers turn, and members' clients with what they think of a post. */
export function generatorService(publicOrigin: string): DidService {
  return { id: '#bsky_fg', type: 'BskyFeedGenerator', serviceEndpoint: publicOrigin }
}

/** @param serviceDid - ours, as the record has it */
export function generatorMethods(publisher: string, serviceDid: string): MethodDefinition[] {
  const uri = generatorUri(publisher)
  return [
    query('app.bsky.feed.describeFeedGenerator', { auth: 'none', showsLabels: false }, () => ({
      body: { did: serviceDid, feeds: [{ uri }] },
    })),
    query(SKELETON, { auth: 'none', showsLabels: false }, async (app, call: SkeletonCall) => {
      const { feed, limit, cursor } = call.params
      const own = feed === uri ? app.ownFeeds.of(feed) : undefined
      if (!own?.skeleton) throw new XRPCError(400, 'UnknownFeed', 'there is no such feed here')
      const languages = languagesOf(call.header('accept-language'))
      const token = /^Bearer (\S+)$/i.exec(call.header('authorization') ?? '')?.[1]
      return { body: await own.skeleton({ token, limit, cursor, languages }, call) }
    }),
  ]
}
