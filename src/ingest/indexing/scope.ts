// The cheap first look at an event, before its record is validated or SQLite is asked: does it
// have anything to do with us? It only says no where the answer is certain; the files of the
// collections decide the rest, where they have the rows at hand.
//
// `network` keeps everything. `community` keeps all that authors do, and what strangers do to kept
// posts and to authors. `authors` leaves strangers out, but for records that are pointed at.

import type { Collection } from '../../base/atproto/collections.ts'
import type { CommitEvent, JsonObject } from '../../base/event.ts'
import { type IndexContext, isAuthor, isImportingFollows, isMember } from './index-context.ts'
import { joinedThrough } from './notify-joining.ts'
import { isTrustedVerifier } from './record.ts'
import { asObject, subjectUri } from './record-fields.ts'
import { authorityOf } from './record-keys.ts'
import { mentionsIn } from './reply-rules.ts'

/** Whether nothing of this can be kept. `uid` is the creator's, 0 while unknown. */
export function isFarAway(
  ctx: IndexContext,
  uid: number,
  event: CommitEvent & { collection: Collection },
): boolean {
  if (ctx.scope === 'network' || isAuthor(ctx, uid)) return false
  if (event.operation === 'delete') return uid === 0 && !isImportingFollows(ctx, event.collection)
  const isStrangersOnly = strangersOnly[event.collection]
  return isStrangersOnly(ctx, event.record, uid, event.did)
}

type Check = (ctx: IndexContext, record: JsonObject, uid: number, did: string) => boolean

const isOfNobodyKnown: Check = (_ctx, _record, uid) => uid === 0

const strangersOnly: Record<Collection, Check> = {
  'app.bsky.actor.profile': (ctx, record, uid) => uid === 0 && joinedThrough(ctx, record) === 0,
  'app.bsky.feed.post': isFarPost,
  'app.bsky.feed.repost': isFarSubject,
  'app.bsky.feed.like': isFarSubject,
  'app.bsky.feed.threadgate': isOfNobodyKnown,
  'app.bsky.feed.postgate': isOfNobodyKnown,
  'app.bsky.graph.follow': isFarAccount,
  'app.bsky.graph.block': isFarAccount,
  'app.bsky.graph.list': isOfNobodyKnown,
  'app.bsky.graph.listitem': (ctx, record, uid) =>
    uid === 0 && !isMember(ctx, uidOf(ctx, record['subject'])),
  'app.bsky.graph.listblock': (ctx, record) => uidOf(ctx, authorityOf(record['subject'])) === 0,
  'app.bsky.feed.generator': isOfNobodyKnown,
  'app.bsky.graph.starterpack': isOfNobodyKnown,
  'app.bsky.labeler.service': isOfNobodyKnown,
  'app.bsky.actor.status': isOfNobodyKnown,
  'app.bsky.graph.verification': (ctx, record, _uid, did) =>
    uidOf(ctx, record['subject']) === 0 && !isTrustedVerifier(ctx, did),
  'app.bsky.notification.declaration': isOfNobodyKnown,
  'chat.bsky.actor.declaration': isOfNobodyKnown,
  'com.germnetwork.declaration': isOfNobodyKnown,
}

function isFarSubject(ctx: IndexContext, record: JsonObject): boolean {
  return ctx.scope === 'authors' || uidOf(ctx, authorityOf(subjectUri(record))) === 0
}

function isFarAccount(ctx: IndexContext, record: JsonObject): boolean {
  return ctx.scope === 'authors' || !isAuthor(ctx, uidOf(ctx, record['subject']))
}

function isFarPost(ctx: IndexContext, record: JsonObject, uid: number): boolean {
  if (uid !== 0) return false
  if (ctx.scope === 'authors') return true
  const reply = asObject(record['reply'])
  const embed = asObject(record['embed'])
  const embedded = asObject(embed?.['record'])
  const uris = [
    asObject(reply?.['root'])?.['uri'],
    asObject(reply?.['parent'])?.['uri'],
    embedded?.['uri'],
    asObject(embedded?.['record'])?.['uri'],
  ]
  if (uris.some((uri) => uidOf(ctx, authorityOf(uri)) !== 0)) return false
  return !mentionsIn(record).some((did) => isMember(ctx, uidOf(ctx, did)))
}

function uidOf(ctx: IndexContext, did: unknown): number {
  return typeof did === 'string' ? ctx.actors.uidOf(did) : 0
}
