// io.slipstream.feed.getPostReasons, our own method: why a post is in a member's home timeline, or why not. It looks the
// way the operator's explore page does, for the member's own timeline alone, and names nobody.

import type { Reader } from '../../answers/hydrate/reader.ts'
import { type FeedItemRules, feedItemRules, isBlockedOrMuted } from '../../answers/views/rules.ts'
import { keepShare } from '../../data/graph/lossiness.ts'
import { HIDDEN } from '../../data/graph/types.ts'
import { newestReposts } from '../../data/store/records/reactions.ts'
import { postItem, repostItem, rowIdOf } from '../../data/store/timelines/item-ids.ts'
import type { SignedInCall } from '../../http/xrpc/call.ts'
import { type Needs, query } from '../../http/xrpc/define.ts'

type Reason =
  | 'own'
  | 'followed'
  | 'reposted'
  | 'not-followed'
  | 'not-drawn'
  | 'muted'
  | 'blocked'
  | 'reposts-muted'
  | 'quotes-muted'
  | 'not-here'

const RULES: Record<keyof FeedItemRules, Reason> = {
  originatorMuted: 'muted',
  originatorBlocked: 'blocked',
  authorMuted: 'muted',
  authorBlocked: 'blocked',
  originatorRepostMuted: 'reposts-muted',
  authorQuotepostMuted: 'quotes-muted',
  ancestorAuthorBlocked: 'blocked',
}
/** How many reposts are searched for some by followed accounts. */
const MAX_REPOSTS = 500
const MAX_COUNTED = 10
const THOUSAND = 1_000

type ReasonContext = Needs<'actors' | 'db' | 'graph' | 'hydrator' | 'isDrawn' | 'itemsByUri'>

/** @param limit - number of follows from which on timelines are lossy; 0 for never */
export function getPostReasons(limit: number) {
  return query(
    'io.slipstream.feed.getPostReasons',
    { auth: 'required', showsLabels: false },
    (app: ReasonContext, { viewer, reader, params }: SignedInCall<{ uri: string }>) => {
      const share = Math.floor(keepShare(limit, app.graph.followsCount(viewer.uid)) * THOUSAND)
      const [found] = app.itemsByUri([{ post: params.uri, repost: undefined }])
      if (!found?.item) return { body: { isThere: false, reasons: ['not-here'], share } }
      return { body: { ...reasonsFor(app, found.item, { owner: viewer.uid, reader }), share } }
    },
  )
}

function reasonsFor(
  app: ReasonContext,
  item: number,
  { owner, reader }: { owner: number; reader: Reader },
): { isThere: boolean; reasons: Reason[]; reposts?: number } {
  const post = rowIdOf(item)
  const isHeard = (uid: number) => uid === owner || app.graph.has(owner, uid)
  const reposts = newestReposts(app.db, post, MAX_REPOSTS)
    .filter(({ uid }) => isHeard(uid) && (app.actors.flagsOf(uid) & HIDDEN) === 0)
    .slice(0, MAX_COUNTED)
  const state = app.hydrator.feed([item, ...reposts.map(({ id }) => repostItem(id))], reader)
  const author = state.postRefs.get(post)?.uid ?? 0
  const ways = [
    ...(isHeard(author) ? [{ item: postItem(post), by: author }] : []),
    ...reposts.map(({ id, uid }) => ({ item: repostItem(id), by: uid })),
  ].map((way) => {
    const rules = feedItemRules(state, way.item)
    const isDrawn = way.by === owner || app.isDrawn(owner, way.item)
    return { rules, isDrawn, isThere: isDrawn && !isBlockedOrMuted(rules) }
  })
  const isThere = ways.some((way) => way.isThere)
  const brought: Reason[] = [
    author === owner ? 'own' : isHeard(author) ? 'followed' : 'not-followed',
    ...(reposts.length > 0 ? (['reposted'] as const) : []),
  ]
  const away = isThere ? [] : ways.flatMap(keptAwayBy)
  return { isThere, reasons: [...new Set([...brought, ...away])], reposts: reposts.length }
}

function keptAwayBy({ rules, isDrawn }: { rules: FeedItemRules; isDrawn: boolean }): Reason[] {
  const names = Object.keys(RULES) as (keyof FeedItemRules)[]
  const broken = names.filter((name) => rules[name]).map((name) => RULES[name])
  return isDrawn ? broken : ['not-drawn', ...broken]
}
