// Whether a reply or quote obeys the rules of the thread it joins, determined at indexing time, as in the
// reference: is the parent part of the thread that the reply names, and do threadgate and postgate allow this
// account.

import { asArray, asObject, type JsonObject } from '../../../base/util/json-object.ts'
import { findGate } from '../../../data/store/posts/gates.ts'
import {
  INVALID_REPLY_ROOT,
  VIOLATES_POSTGATE,
  VIOLATES_THREADGATE,
} from '../../../data/store/posts/post-flags.ts'
import { findPostById, PRESENT, postRecord } from '../../../data/store/posts/posts.ts'
import { isFollowing } from '../../../data/store/records/follows.ts'
import { isOnList } from '../../../data/store/records/list-items.ts'
import type { IndexContext } from '../index-context.ts'
import { lookUpList } from './post-rows.ts'
import { LIST_COLLECTION, parseRecordUri, type RecordRef } from './record-fields.ts'

const GATE = 'app.bsky.feed.threadgate'
const MENTION = 'app.bsky.richtext.facet#mention'
const NO_QUOTES = 'app.bsky.feed.postgate#disableRule'

type ThreadRules = {
  mentioned: boolean
  followers: boolean
  following: boolean
  lists: RecordRef[]
}

/** @returns undefined if everyone may reply */
export function readThreadgate(record: JsonObject): ThreadRules | undefined {
  if (!Array.isArray(record['allow'])) return undefined
  const rules = record['allow'].map(asObject)
  const has = (name: string) => rules.some((rule) => rule?.['$type'] === `${GATE}#${name}`)
  const lists = rules
    .filter((rule) => rule?.['$type'] === `${GATE}#listRule`)
    .map((rule) => parseRecordUri(rule?.['list'], LIST_COLLECTION))
    .filter((ref) => ref !== undefined)
  return {
    mentioned: has('mentionRule'),
    followers: has('followerRule'),
    following: has('followingRule'),
    lists,
  }
}

/** DIDs that a post's text mentions. */
export function mentionsIn(record: JsonObject): string[] {
  return asArray(record['facets'])
    .flatMap((facet) => asArray(asObject(facet)?.['features']))
    .map(asObject)
    .filter((feature) => feature?.['$type'] === MENTION)
    .map((feature) => feature?.['did'])
    .filter((did) => typeof did === 'string')
}

/**
 * INVALID_REPLY_ROOT if the parent is not here, is itself an invalid reply, or belongs to another
 * thread than the reply names. `root` and `parent` are posts.id, or null if unusable.
 */
export function replyRootFlag(
  ctx: IndexContext,
  root: number | null,
  parent: number | null,
): number {
  const row = parent === null ? undefined : findPostById(ctx.db, parent)
  if (root === null || row?.state !== PRESENT) return INVALID_REPLY_ROOT
  if (row.flags & INVALID_REPLY_ROOT) return INVALID_REPLY_ROOT
  const isInThread = parent === root ? row.root === null : row.root === root
  return isInThread ? 0 : INVALID_REPLY_ROOT
}

/** VIOLATES_THREADGATE if the root's current gate does not let the replier reply. */
export function threadgateFlag(ctx: IndexContext, replier: number, root: number | null): number {
  if (root === null) return 0
  const gate = findGate(ctx.db, 'threadgates', root)
  const rules = gate && readThreadgate(JSON.parse(gate.record.toString()) as JsonObject)
  if (!rules) return 0
  const owner = findPostById(ctx.db, root)?.uid ?? 0
  return replier === owner || mayReply(ctx, rules, { replier, owner, root })
    ? 0
    : VIOLATES_THREADGATE
}

function mayReply(
  ctx: IndexContext,
  rules: ThreadRules,
  { replier, owner, root }: { replier: number; owner: number; root: number },
): boolean {
  if (rules.mentioned && isMentioned(ctx, replier, root)) return true
  if (rules.following && isFollowing(ctx.db, owner, replier)) return true
  if (rules.followers && isFollowing(ctx.db, replier, owner)) return true
  return rules.lists.some((ref) => {
    const list = lookUpList(ctx, ref)
    return list !== undefined && isOnList(ctx.db, list.id, replier)
  })
}

function isMentioned(ctx: IndexContext, replier: number, root: number): boolean {
  const record = postRecord(ctx.db, root)
  if (!record) return false
  return mentionsIn(JSON.parse(record) as JsonObject).includes(ctx.actors.didOf(replier))
}

/** VIOLATES_POSTGATE if the quoted post's gate forbids quotes by others. */
export function postgateFlag(
  ctx: IndexContext,
  quoter: number,
  quoted: { id: number; uid: number },
): number {
  if (quoter === quoted.uid) return 0
  const gate = findGate(ctx.db, 'postgates', quoted.id)
  if (!gate) return 0
  const record = JSON.parse(gate.record.toString()) as JsonObject
  const rules = asArray(record['embeddingRules']).map(asObject)
  return rules.some((rule) => rule?.['$type'] === NO_QUOTES) ? VIOLATES_POSTGATE : 0
}
