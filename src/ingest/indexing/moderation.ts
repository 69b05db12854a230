// What the operator, or their moderation service, decides: an account, a record or a blob is hidden or
// shown again, an account is banned from reading here or allowed again. Called in a commit.
// Each decision that changes something is one entry of the log.

import { isValidDid } from '@atproto/syntax'
import type { ModerationDecision } from '../../bridge/messages.ts'
import { deleteBan, insertBan } from '../../data/store/bans.ts'
import { addToModerationLog } from '../../data/store/moderation-log.ts'
import {
  ACCOUNT,
  blobSubject,
  countTakedowns,
  deleteTakedown,
  parseTakedownSubject,
  putTakedown,
  type TakedownSubject,
} from '../../data/store/takedowns.ts'
import { hideAccount, showAccount } from './account.ts'
import { type IndexContext, internActor } from './index-context.ts'
import { ModerationError } from './moderation-error.ts'
import { endMembership } from './operator-members.ts'

const MAX_TAKEDOWNS = 1_000_000
const MAX_BLOBS = 32

/** @returns whether it changed anything. @throws ModerationError */
export function decide(ctx: IndexContext, decision: ModerationDecision): boolean {
  const { act, subject, by, reason } = decision
  const isNews = actOn(ctx, decision)
  if (isNews) addToModerationLog(ctx.db, { at: ctx.now, act, subject, by, reason })
  return isNews
}

function actOn(ctx: IndexContext, decision: ModerationDecision): boolean {
  switch (decision.act) {
    case 'hide':
      return hide(ctx, decision)
    case 'show':
      return show(ctx, subjectOf(decision))
    case 'ban':
      return ban(ctx, decision)
    case 'allow':
      return deleteBan(ctx.db, decision.subject)
  }
}

function hide(ctx: IndexContext, decision: ModerationDecision): boolean {
  const { ref = '', blobs = [] } = decision
  const found = subjectOf(decision)
  if (countTakedowns(ctx.db) + blobs.length >= MAX_TAKEDOWNS) {
    throw new ModerationError(`There are ${MAX_TAKEDOWNS} takedowns already.`)
  }
  const uid = internActor(ctx, found.did)
  const about = { uid, ref, at: ctx.now }
  const isNew = putTakedown(ctx.db, { ...found, ...about, because: null })
  for (const cid of isNew ? blobs.slice(0, MAX_BLOBS) : []) {
    const blob = parseTakedownSubject(blobSubject(found.did, cid))
    if (blob) putTakedown(ctx.db, { ...blob, ...about, because: found.subject })
  }
  if (isNew && found.collection === ACCOUNT) hideAccount(ctx, uid)
  return isNew
}

function show(ctx: IndexContext, found: TakedownSubject): boolean {
  const uid = ctx.actors.uidOf(found.did)
  if (uid === 0) return false
  if (found.collection === ACCOUNT) return showAccount(ctx, uid, found)
  return deleteTakedown(ctx.db, { ...found, uid })
}

/** Their seat is free at once, and what they kept here goes as when a membership ends. */
function ban(ctx: IndexContext, { subject }: ModerationDecision): boolean {
  if (!isValidDid(subject)) throw new ModerationError('Only an account can be banned, by its DID.')
  const isNew = insertBan(ctx.db, subject, ctx.now)
  endMembership(ctx, subject)
  return isNew
}

function subjectOf({ subject }: ModerationDecision): TakedownSubject {
  const found = parseTakedownSubject(subject)
  if (found) return found
  throw new ModerationError('It is neither a DID nor the at-URI of a record.')
}
