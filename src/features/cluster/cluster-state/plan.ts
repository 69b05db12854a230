// Plans the changes that an operator's or newcomer's act makes to the state that nodes share. It only reads rows and
// writes nothing: the changes go to the engine first. The rules are those by which a single node writes its
// rows (ingest/indexing/, timelines/writing/).

import type { FeatureRequest, OperatorRequest } from '../../../bridge/messages.ts'
import type { Db } from '../../../data/store/db.ts'
import { findAdmission } from '../../../data/store/members/admissions.ts'
import { findInvite } from '../../../data/store/members/invites.ts'
import { isBanned } from '../../../data/store/moderation/bans.ts'
import { hasTag } from '../../../data/store/moderation/moderation-tags.ts'
import { findTakedown } from '../../../data/store/moderation/takedowns.ts'
import {
  checkCapacityForInvite,
  inviteToUse,
  serverFull,
} from '../../../ingest/indexing/members/invites.ts'
import { checkDecision } from '../../../ingest/indexing/moderation/moderation.ts'
import { ModerationError } from '../../../ingest/indexing/moderation/moderation-error.ts'
import type { TokenRequests } from '../../timelines/requests.ts'
import { findStoredToken } from '../../timelines/store/programs/service-tokens.ts'
import { checkNewToken } from '../../timelines/writing/tokens.ts'
import { countStanding, stands } from '../store/shared-cluster.ts'
import {
  type DocChange,
  docChange,
  docKey,
  goneChange,
  inviteDoc,
  tagName,
  tokenDoc,
} from './cluster-doc.ts'

export type ClusterAct =
  | Exclude<OperatorRequest, FeatureRequest | { kind: 'import-state' | 'import-follows' }>
  | TokenRequest
  | { kind: 'redeem-invite'; did: string; code: string; maxMembers: number }
  /** A request by an account that is not a member yet. */
  | { kind: 'join'; did: string; maxMembers: number }

/** Of the operator. */
export type TokenRequest = {
  [Kind in keyof TokenRequests]: { kind: Kind; body: TokenRequests[Kind] }
}[keyof TokenRequests]

type ClusterPlan = { changes: DocChange[]; figures: Record<string, number> }

type Known = { db: Db; now: number }

const OPERATOR = { by: 'operator', reason: '' }
const NOTHING: ClusterPlan = { changes: [], figures: {} }

/** @throws an error that says why the act is not possible */
export function planAct(known: Known, act: ClusterAct): ClusterPlan {
  switch (act.kind) {
    case 'timelines/create-token':
      return planToken(known, act.body)
    case 'timelines/revoke-token':
      return planRevoking(known, act.body)
    case 'create-invite':
      return planInvite(known, act)
    case 'disable-invite':
      return planDisabling(known, act)
    case 'redeem-invite':
      return planAdmission(known, act)
    case 'add-member':
      return planMember(known, act.did)
    case 'remove-member':
      return planEnd(known, act.did)
    case 'join':
      return planJoining(known, act)
    case 'moderate':
      return planDecision(known, act)
  }
}

type Act<Kind> = ClusterAct & { kind: Kind }

function planToken({ db, now }: Known, act: TokenRequests['timelines/create-token']): ClusterPlan {
  const { name, digest, scopes, rate, expiresAt } = act
  const found = findStoredToken(db, name)
  if (found?.digest.equals(digest) && found.revoked_at === null) return NOTHING
  checkNewToken(db, name)
  const row = { name, rate, scopes: JSON.stringify(scopes), created_at: now, revoked_at: null }
  const doc = tokenDoc({ ...row, expires_at: expiresAt, digest: Buffer.from(digest) })
  return { changes: [docChange('token', name, doc)], figures: {} }
}

function planRevoking(
  { db, now }: Known,
  { name }: TokenRequests['timelines/revoke-token'],
): ClusterPlan {
  const found = findStoredToken(db, name)
  if (!found || found.revoked_at !== null) return { changes: [], figures: { revoked: 0 } }
  const doc = tokenDoc({ ...found, revoked_at: now })
  return { changes: [docChange('token', name, doc)], figures: { revoked: 1 } }
}

function planInvite({ db, now }: Known, act: Act<'create-invite'>): ClusterPlan {
  const { code, note, maxUses, expiresAt } = act
  if (findInvite(db, code)) return NOTHING
  checkCapacityForInvite(db)
  const doc = { note, maxUses, uses: 0, at: now, expiresAt, disabledAt: null }
  return { changes: [docChange('invite', code, doc)], figures: {} }
}

function planDisabling({ db, now }: Known, { code }: Act<'disable-invite'>): ClusterPlan {
  const found = findInvite(db, code)
  if (!found || found.disabled_at !== null) return { changes: [], figures: { disabled: 0 } }
  const doc = inviteDoc({ ...found, disabled_at: now })
  return { changes: [docChange('invite', code, doc)], figures: { disabled: 1 } }
}

function planAdmission(known: Known, act: Act<'redeem-invite'>): ClusterPlan {
  const { did, code } = act
  const invite = inviteToUse(known, did, code)
  if (!invite) return NOTHING
  if (!hasSeat(known, act)) throw serverFull()
  const used = inviteDoc({ ...invite, uses: invite.uses + 1 })
  return {
    changes: [docChange('invite', code, used), ...admitting(known, did, code)],
    figures: {},
  }
}

function planMember(known: Known, did: string): ClusterPlan {
  if (isBanned(known.db, did)) {
    throw new ModerationError(`${did} is banned; \`slipstream moderation allow\` ends that first.`)
  }
  const changes = admitting(known, did, null)
  const isNew = changes.some(({ key }) => key === docKey('member', did))
  return { changes, figures: { added: Number(isNew) } }
}

/** `code` is the invite that admits the account; null: the operator does. */
function admitting({ db, now }: Known, did: string, code: string | null): DocChange[] {
  const isMember = stands(db, docKey('member', did))
  return [
    ...(findAdmission(db, did) ? [] : [docChange('admission', did, { at: now, code })]),
    ...(isMember ? [] : [docChange('member', did, { at: now, isSeen: false })]),
  ]
}

function planEnd(known: Known, did: string): ClusterPlan {
  const changes = ending(known, did)
  const isEnd = changes.some(({ key }) => key === docKey('member', did))
  return { changes, figures: { removed: Number(isEnd) } }
}

function ending({ db, now }: Known, did: string): DocChange[] {
  const kinds = (['admission', 'member'] as const).filter((kind) => stands(db, docKey(kind, did)))
  return kinds.map((kind) => goneChange(kind, did, { at: now, ...OPERATOR }))
}

function planJoining(known: Known, act: Act<'join'>): ClusterPlan {
  const { db, now } = known
  const { did } = act
  if (isBanned(db, did) || stands(db, docKey('member', did))) return NOTHING
  if (!hasSeat(known, act)) throw new Error('there are as many members as may be')
  return { changes: [docChange('member', did, { at: now, isSeen: true })], figures: {} }
}

/** Whether the account has a seat or may take one. */
function hasSeat({ db }: Known, { did, maxMembers }: { did: string; maxMembers: number }): boolean {
  if (maxMembers === 0 || stands(db, docKey('member', did))) return true
  return countStanding(db, docKey('member', '')) < maxMembers
}

function planDecision(known: Known, decision: Act<'moderate'>): ClusterPlan {
  const { db, now } = known
  const { act, subject, by, reason, ref = '', blobs = [] } = decision
  checkDecision(db, decision)
  const tag = tagName(subject, decision.tag ?? '')
  const doc = { at: now, by, reason }
  const outcome = (isNews: boolean, ...changes: DocChange[]): ClusterPlan => {
    return { changes: isNews ? changes : [], figures: { changed: Number(isNews) } }
  }
  switch (act) {
    case 'hide':
      return outcome(
        findTakedown(db, subject) === undefined,
        docChange('hide', subject, { ...doc, ref, blobs }),
      )
    case 'show':
      return outcome(findTakedown(db, subject) !== undefined, goneChange('hide', subject, doc))
    case 'ban':
      return outcome(
        !isBanned(db, subject),
        docChange('ban', subject, doc),
        ...ending(known, subject),
      )
    case 'allow':
      return outcome(isBanned(db, subject), goneChange('ban', subject, doc))
    case 'tag':
      return outcome(!hasTag(db, subject, decision.tag ?? ''), docChange('tag', tag, doc))
    case 'untag':
      return outcome(hasTag(db, subject, decision.tag ?? ''), goneChange('tag', tag, doc))
  }
}
