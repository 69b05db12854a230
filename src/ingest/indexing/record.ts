// Records of the kinds of which there are few: feed generators, starter packs, labelers, live statuses,
// verifications and declarations (data/store/records.ts).
//
// They cost little and a profile is not whole without them, so those of every account that we know are
// kept, but of verifications only those about accounts that we know; all that a trusted verifier says
// is kept, since whom it is about may turn up any day.

import { collectionCodes, type RecordCollection } from '../../base/atproto/collections.ts'
import {
  emptyRecord,
  fillRecord,
  findRecord,
  insertStubRecord,
  type RecordRow,
} from '../../data/store/records.ts'
import {
  type IndexContext,
  internActor,
  isAuthor,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
  recordJson,
  sortAtOf,
} from './index-context.ts'
import { isOutdated } from './lateness.ts'
import { notifyOfNoVerification, notifyOfVerification } from './notify-verification.ts'

const VERIFICATION: RecordCollection = 'app.bsky.graph.verification'

/** Of these an account has one, under the key `self`. */
const SINGLE = new Set<string>([
  'app.bsky.labeler.service',
  'app.bsky.actor.status',
  'app.bsky.notification.declaration',
  'chat.bsky.actor.declaration',
  'com.germnetwork.declaration',
] satisfies RecordCollection[])

export function putRecord(ctx: IndexContext, write: RecordWrite): Outcome {
  if (SINGLE.has(write.collection) && write.rkey !== 'self') return 'wrong-key'
  const row = rowOf(ctx, write)
  if (!row && !isKept(ctx, write)) return 'out-of-scope'
  if (row?.cid?.equals(write.cid)) return 'duplicate'
  if (row && isOutdated(row, write)) return 'late'
  const uid = internActor(ctx, write.did)
  const collection = collectionCodes[write.collection]
  const content = {
    id: row?.id ?? insertStubRecord(ctx.db, { uid, collection, rkey: write.rkey }),
    uid,
    collection,
    cid: write.cid,
    rev: write.rev ?? row?.rev ?? null,
    record: recordJson(write),
    created_at: write.createdAt,
    sort_at: sortAtOf(write),
    subject:
      write.collection === VERIFICATION
        ? internActor(ctx, write.record['subject'] as string)
        : null,
  }
  fillRecord(ctx.db, content, row?.subject ?? null)
  if (content.subject !== null) {
    notifyOfVerification(ctx, write, { uid, subject: content.subject })
  }
  return 'applied'
}

export function removeRecord(ctx: IndexContext, removal: RecordRemoval): boolean {
  const row = rowOf(ctx, removal)
  if (!row || isOutdated(row, removal)) return false
  const wasThere = row.cid !== null
  emptyRecord(ctx.db, row, removal.rev)
  if (wasThere && removal.collection === VERIFICATION) notifyOfNoVerification(ctx, removal, row)
  return wasThere
}

/** Whether a verification is kept whatever account it is about. */
export function isTrustedVerifier(ctx: IndexContext, did: string): boolean {
  return ctx.trustedVerifiers.has(did)
}

function rowOf(
  ctx: IndexContext,
  { uid, collection, rkey }: Pick<RecordWrite, 'uid' | 'collection' | 'rkey'>,
): RecordRow | undefined {
  if (uid === 0) return undefined
  return findRecord(ctx.db, { uid, collection: collectionCodes[collection], rkey })
}

function isKept(ctx: IndexContext, { did, uid, collection, record }: RecordWrite): boolean {
  if (ctx.scope === 'network' || isAuthor(ctx, uid)) return true
  if (collection !== VERIFICATION) return uid !== 0
  const subject = String(record['subject'])
  return isTrustedVerifier(ctx, did) || ctx.actors.uidOf(subject) !== 0
}
