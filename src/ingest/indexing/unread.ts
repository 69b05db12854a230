// The first look of scope.ts, at a commit that nobody has parsed: whether nothing of it can be kept.
//
// All DIDs in the record stand for the few that matter. So this may say no where scope.ts, which
// knows their places, says yes, and the event is then parsed and looked at there; never the reverse.

import type { Collection } from '../../base/atproto/collections.ts'
import type { UnreadCommit } from '../../base/event.ts'
import { type IndexContext, isAuthor, isImportingFollows, isMember } from './index-context.ts'

export function isFarAwayUnread(ctx: IndexContext, commit: UnreadCommit): boolean {
  if (ctx.scope === 'network') return false
  const uid = ctx.actors.uidOfPlc(commit.bytes, commit.creatorAt)
  if (isAuthor(ctx, uid)) return false
  if (commit.operation === 'delete') {
    return uid === 0 && !isImportingFollows(ctx, commit.collection)
  }
  return far[commit.collection as Collection]?.(ctx, commit, uid) ?? false
}

type Check = (ctx: IndexContext, commit: UnreadCommit, uid: number) => boolean

/** Of somebody unknown, naming nobody known. */
const isStrangers: Check = (ctx, commit, uid) => uid === 0 && namesNone(ctx, commit, isKnown)

function isFarReaction(ctx: IndexContext, commit: UnreadCommit): boolean {
  return ctx.scope === 'authors' || namesNone(ctx, commit, isKnown)
}

function isFarRelation(ctx: IndexContext, commit: UnreadCommit): boolean {
  return ctx.scope === 'authors' || namesNone(ctx, commit, isAuthor)
}

const far: Record<Collection, Check> = {
  'app.bsky.actor.profile': (ctx, commit, uid) => uid === 0 && namesNone(ctx, commit, isMember),
  'app.bsky.feed.post': (ctx, commit, uid) => uid === 0 && isFarReaction(ctx, commit),
  'app.bsky.feed.repost': isFarReaction,
  'app.bsky.feed.like': isFarReaction,
  'app.bsky.feed.threadgate': isStrangers,
  'app.bsky.feed.postgate': isStrangers,
  'app.bsky.graph.follow': isFarRelation,
  'app.bsky.graph.block': isFarRelation,
  'app.bsky.graph.list': isStrangers,
  'app.bsky.graph.listitem': (ctx, commit, uid) => uid === 0 && namesNone(ctx, commit, isMember),
  'app.bsky.graph.listblock': (ctx, commit) => namesNone(ctx, commit, isKnown),
  'app.bsky.feed.generator': isStrangers,
  'app.bsky.graph.starterpack': isStrangers,
  'app.bsky.labeler.service': isStrangers,
  'app.bsky.actor.status': isStrangers,
  // Few, and whoever is trusted may say it of anybody: read at once.
  'app.bsky.graph.verification': () => false,
  'app.bsky.notification.declaration': isStrangers,
  'chat.bsky.actor.declaration': isStrangers,
  'com.germnetwork.declaration': isStrangers,
}

function isKnown(_ctx: IndexContext, uid: number): boolean {
  return uid !== 0
}

function namesNone(
  ctx: IndexContext,
  { bytes, accountsAt }: UnreadCommit,
  concerns: (ctx: IndexContext, uid: number) => boolean,
): boolean {
  for (let i = 0; i < accountsAt.length; i++) {
    if (concerns(ctx, ctx.actors.uidOfPlc(bytes, accountsAt[i]!))) return false
  }
  return true
}
