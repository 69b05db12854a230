// Changes of the state that nodes share, put on the engine by this node or another. Applies them to the rows
// with the functions that a single node uses, each as of the time it was decided. Called in a commit.

import { deleteAdmission, insertAdmission } from '../../../data/store/members/admissions.ts'
import { storeInvite } from '../../../data/store/members/invites.ts'
import type { ModerationAct } from '../../../data/store/moderation/moderation-log.ts'
import { type IndexContext, isMember } from '../../../ingest/indexing/index-context.ts'
import { memberSeen, removeMember } from '../../../ingest/indexing/members/members.ts'
import { decide } from '../../../ingest/indexing/moderation/moderation.ts'
import { ModerationError } from '../../../ingest/indexing/moderation/moderation-error.ts'
import { storeToken } from '../../timelines/store/programs/service-tokens.ts'
import { addSigningKey } from '../../timelines/store/signing-keys.ts'
import { deleteCursorsOfToken } from '../../timelines/store/timeline-cursors.ts'
import type { NumberedClusterChange } from '../engine/cluster-changes.ts'
import type { ClusterStateRequest } from '../requests.ts'
import {
  beginCluster,
  clusterVersion,
  dropGoneKeys,
  dropSharedKey,
  putSharedKey,
  setClusterVersion,
} from '../store/shared-cluster.ts'
import {
  type AdmissionDoc,
  type CursorKeyDoc,
  type DecisionDoc,
  type InviteDoc,
  inviteRow,
  type MemberDoc,
  splitKey,
  splitTag,
  type TokenDoc,
  tokenRow,
} from './cluster-doc.ts'

/** Applies only the newer changes if another thread has brought some meanwhile. */
export function applyClusterState(ctx: IndexContext, request: ClusterStateRequest): void {
  const { place: clusterId, from, to, changes, goneUntil } = request
  beginCluster(ctx.db, clusterId)
  const known = clusterVersion(ctx.db, clusterId)!
  const isNext = known === from
  if (!isNext && (known < from || known >= to)) return
  dropGoneKeys(ctx.db, goneUntil)
  const { now } = ctx
  for (const change of changes) if (isNext || change.number > known) applyChange(ctx, change)
  ctx.now = now
  setClusterVersion(ctx.db, clusterId, to)
}

function applyChange(
  ctx: IndexContext,
  { key, number, change, isGone }: NumberedClusterChange,
): void {
  const { kind, name } = splitKey(key)
  const doc: unknown = JSON.parse(change)
  ctx.now = (doc as { at: number }).at || ctx.now
  // Ignores kinds that this version does not know.
  appliers[kind]?.({ ctx, name, doc, isGone })
  if (number === 0) dropSharedKey(ctx.db, key)
  else putSharedKey(ctx.db, key, number, isGone)
}

type Applied = { ctx: IndexContext; name: string; doc: unknown; isGone: boolean }

const appliers: Record<string, ((applied: Applied) => void) | undefined> = {
  'cursor-key'({ ctx, doc }) {
    const { secret, at } = doc as CursorKeyDoc
    addSigningKey(ctx.db, Buffer.from(secret, 'hex'), at)
  },
  token({ ctx, name, doc }) {
    const row = tokenRow(name, doc as TokenDoc)
    storeToken(ctx.db, row)
    if (row.revoked_at !== null) deleteCursorsOfToken(ctx.db, name)
  },
  invite: ({ ctx, name, doc }) => storeInvite(ctx.db, inviteRow(name, doc as InviteDoc)),
  admission({ ctx, name, doc, isGone }) {
    deleteAdmission(ctx.db, name)
    if (isGone) return
    const { at, code } = doc as AdmissionDoc
    insertAdmission(ctx.db, { did: name, code, admitted_at: at })
  },
  member({ ctx, name, doc, isGone }) {
    if (isGone) return removeMember(ctx, name)
    if (isMember(ctx, ctx.actors.uidOf(name))) return
    memberSeen(ctx, name, (doc as MemberDoc).isSeen ? ctx.now : null)
  },
  ban: ({ ctx, name, doc, isGone }) =>
    decideAs(ctx, isGone ? 'allow' : 'ban', { subject: name, doc }),
  hide: ({ ctx, name, doc, isGone }) =>
    decideAs(ctx, isGone ? 'show' : 'hide', { subject: name, doc }),
  tag: ({ ctx, name, doc, isGone }) =>
    decideAs(ctx, isGone ? 'untag' : 'tag', { ...splitTag(name), doc }),
}

/** One node can't refuse a decision that another accepted. */
function decideAs(
  ctx: IndexContext,
  act: ModerationAct,
  { subject, tag, doc }: { subject: string; tag?: string; doc: unknown },
): void {
  try {
    decide(ctx, { act, subject, tag, ...(doc as DecisionDoc) })
  } catch (error) {
    if (!(error instanceof ModerationError)) throw error
  }
}
