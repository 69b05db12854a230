// app.bsky.actor.profile. A stranger's profile is kept once any other record of theirs is.

import { keysIn } from '../../../data/store/fetching/stored-keys.ts'
import {
  deleteProfile,
  findProfile,
  putProfile as putRow,
} from '../../../data/store/records/profiles.ts'
import {
  type IndexContext,
  internCreator,
  isMember,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
  recordJson,
} from '../index-context.ts'
import { isOutdated } from '../lateness.ts'
import { PROFILE, withdrawNotifications } from '../notifications/notify.ts'
import { joinedThrough, notifyOfJoining } from '../notifications/notify-joining.ts'
import { type CollectionRules, namesNone } from './collection-rules.ts'

function put(ctx: IndexContext, write: RecordWrite): Outcome {
  if (write.rkey !== 'self') return 'wrong-key'
  const joins = joinedThrough(ctx, write.record)
  if (write.uid === 0 && ctx.scope !== 'network' && joins === 0) return 'out-of-scope'
  const uid = internCreator(ctx, write)
  const row = findProfile(ctx.db, uid)
  if (row?.cid.equals(write.cid)) return 'duplicate'
  if (row && isOutdated(row, write)) return 'late'
  if (!row && joins !== 0) notifyOfJoining(ctx, { ...write, uid }, joins)
  putRow(ctx.db, {
    uid,
    cid: write.cid,
    rev: write.rev ?? row?.rev ?? null,
    record: recordJson(write),
    created_at: write.record['createdAt'] === undefined ? null : write.createdAt,
    indexed_at: write.indexedAt,
  })
  return 'applied'
}

function remove(ctx: IndexContext, { uid, rkey, rev }: RecordRemoval): boolean {
  if (rkey !== 'self') return false
  const row = findProfile(ctx.db, uid)
  if (!row || isOutdated(row, { rev })) return false
  withdrawNotifications(ctx, { uid, collection: PROFILE, rkey })
  return deleteProfile(ctx.db, uid)
}

export const profile: CollectionRules = {
  put,
  remove,
  isFar: (ctx, uid, { record }) => uid === 0 && joinedThrough(ctx, record) === 0,
  isFarUnread: (ctx, uid, commit) => uid === 0 && namesNone(ctx, commit, isMember),
  removeAll: (ctx, uid) => void deleteProfile(ctx.db, uid),
  // Removed with the account (retention/sweep-account.ts).
  release: [],
  storedKeys: keysIn('profiles'),
  readWith: 'profile',
}
