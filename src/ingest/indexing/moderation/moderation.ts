// Decisions of the operator or their moderation service: hide or show an account, a record or a blob; ban an
// account from membership or allow it again; add or remove a tag of an account, a profile or a post. Called
// in a commit. Each decision that changes something is one entry of the log.

import { isValidDid } from '@atproto/syntax'
import { collectionCodes } from '../../../base/atproto/collections.ts'
import type { ModerationDecision } from '../../../bridge/messages.ts'
import type { Db } from '../../../data/store/db.ts'
import { deleteBan, insertBan } from '../../../data/store/moderation/bans.ts'
import { addToModerationLog } from '../../../data/store/moderation/moderation-log.ts'
import { countTags, deleteTag, putTag } from '../../../data/store/moderation/moderation-tags.ts'
import {
  ACCOUNT,
  blobSubject,
  countTakedowns,
  deleteTakedown,
  parseTakedownSubject,
  putTakedown,
  renameTakedown,
  type TakedownSubject,
} from '../../../data/store/moderation/takedowns.ts'
import { hideAccount, showAccount } from '../account.ts'
import { type IndexContext, internActor } from '../index-context.ts'
import { endMembership } from '../members/operator-members.ts'
import { ModerationError } from './moderation-error.ts'

const MAX_TAKEDOWNS = 1_000_000
const MAX_BLOBS = 32
const MAX_TAGS = 1_000_000
const TAGGED: readonly number[] = [
  ACCOUNT,
  collectionCodes['app.bsky.actor.profile'],
  collectionCodes['app.bsky.feed.post'],
]

/** @returns whether it changed anything. @throws ModerationError */
export function decide(ctx: IndexContext, decision: ModerationDecision): boolean {
  const { act, subject, by, reason, tag = '' } = decision
  checkDecision(ctx.db, decision)
  const isNews = actOn(ctx, decision)
  if (isNews) addToModerationLog(ctx.db, { at: ctx.now, act, subject, by, reason, tag })
  return isNews
}

/** @throws ModerationError if it can't be carried out, here or on a node that shares the place */
export function checkDecision(db: Db, { act, subject, tag, blobs = [] }: ModerationDecision): void {
  if ((act === 'ban' || act === 'allow') && !isValidDid(subject)) {
    throw new ModerationError('Only an account can be banned, by its DID.')
  }
  const { collection } = subjectOf(subject)
  if (act === 'hide' && countTakedowns(db) + blobs.length >= MAX_TAKEDOWNS) {
    throw new ModerationError(`There are ${MAX_TAKEDOWNS} takedowns already.`)
  }
  if (act !== 'tag' && act !== 'untag') return
  if (!tag) throw new ModerationError('Which tag is not said.')
  if (act === 'untag') return
  if (!TAGGED.includes(collection)) {
    throw new ModerationError('Only accounts, their profiles and posts have tags.')
  }
  if (countTags(db) >= MAX_TAGS) throw new ModerationError(`There are ${MAX_TAGS} tags already.`)
}

function actOn(ctx: IndexContext, decision: ModerationDecision): boolean {
  switch (decision.act) {
    case 'hide':
      return hide(ctx, decision)
    case 'show':
      return show(ctx, subjectOf(decision.subject))
    case 'ban':
      return ban(ctx, decision)
    case 'allow':
      return deleteBan(ctx.db, decision.subject)
    case 'tag':
      return attachTag(ctx, decision)
    case 'untag':
      return deleteTag(ctx.db, decision.subject, decision.tag ?? '')
  }
}

function hide(ctx: IndexContext, decision: ModerationDecision): boolean {
  const { ref = '', blobs = [] } = decision
  const found = subjectOf(decision.subject)
  const uid = internActor(ctx, found.did)
  const about = { uid, ref, at: ctx.now }
  const isNew = putTakedown(ctx.db, { ...found, ...about, because: null })
  for (const cid of isNew ? blobs.slice(0, MAX_BLOBS) : []) {
    const blob = parseTakedownSubject(blobSubject(found.did, cid))
    if (blob) putTakedown(ctx.db, { ...blob, ...about, because: found.subject })
  }
  if (isNew && found.collection === ACCOUNT) hideAccount(ctx, uid)
  return isNew || (ref !== '' && renameTakedown(ctx.db, { ...found, uid }, ref))
}

function show(ctx: IndexContext, found: TakedownSubject): boolean {
  const uid = ctx.actors.uidOf(found.did)
  if (uid === 0) return false
  if (found.collection === ACCOUNT) return showAccount(ctx, uid, found)
  return deleteTakedown(ctx.db, { ...found, uid })
}

function attachTag(ctx: IndexContext, { subject, tag = '' }: ModerationDecision): boolean {
  const found = subjectOf(subject)
  const uid = internActor(ctx, found.did)
  return putTag(ctx.db, { ...found, tag, uid, at: ctx.now })
}

/**
 * Frees the account's seat at once, and removes its private state as at the end of a membership.
 */
function ban(ctx: IndexContext, { subject }: ModerationDecision): boolean {
  const isNew = insertBan(ctx.db, subject, ctx.now)
  endMembership(ctx, subject)
  return isNew
}

function subjectOf(subject: string): TakedownSubject {
  const found = parseTakedownSubject(subject)
  if (found) return found
  throw new ModerationError('It is neither a DID nor the at-URI of a record.')
}
