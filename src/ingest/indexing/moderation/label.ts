// Stores labels as rows. Only accounts that a record here references can be shown, so labels of others are
// left out; they are requested once the account is shown.

import { type Collection, collectionCodes } from '../../../base/atproto/collections.ts'
import { packRkey } from '../../../base/atproto/keys.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import {
  type LabelSubject,
  putLabel,
  queriedLabelsBefore,
  withdrawLabel,
} from '../../../data/store/moderation/labels.ts'
import type { Label } from '../../../sources/label.ts'
import { type IndexContext, internActor } from '../index-context.ts'

/** A label, as a labeler gives it for one subject. */
type NewLabel = Omit<Label, 'src'>

const COMPLETE_URI = /^at:\/\/(did:[^/]+)\/([^/?#]+)\/([^/?#]+)$/

/**
 * @param uri - a DID or an at-URI
 * @returns undefined if nothing here references it, or it is no record of a kind that is kept
 */
export function labelSubject(
  ctx: { actors: Pick<ActorReader, 'uidOf'> },
  uri: string,
): LabelSubject | undefined {
  const [, did = uri, collection, rkey = ''] = COMPLETE_URI.exec(uri) ?? []
  const uid = ctx.actors.uidOf(did)
  if (uid === 0) return undefined
  if (collection === undefined) return { uid, collection: 0, rkey: '' }
  const code = collectionCodes[collection as Collection]
  return code && { uid, collection: code, rkey: packRkey(rkey) }
}

type AppliedLabels = {
  /** Labels that changed anything, and how many of these added a row. */
  changed: number
  added: number
  /** Labels without room. */
  refused: number
}

/**
 * @param how - `capacity`: how many more rows this labeler may have here; `isStreamed`: whether its
 *   stream brought these, rather than an answer
 */
export function applyLabels(
  ctx: IndexContext,
  did: string,
  labels: readonly NewLabel[],
  { capacity = Infinity, isStreamed = true }: { capacity?: number; isStreamed?: boolean } = {},
): AppliedLabels {
  const done: AppliedLabels = { changed: 0, added: 0, refused: 0 }
  for (const label of labels) {
    const subject = labelSubject(ctx, label.uri)
    if (!subject) continue
    const src = internActor(ctx, did)
    const outcome = putLabel(
      ctx.db,
      { ...label, ...subject, src, isStreamed },
      done.added < capacity,
    )
    if (outcome === 'refused') done.refused++
    if (outcome === 'added') done.added++
    if (outcome === 'added' || outcome === 'changed') done.changed++
  }
  return done
}

/**
 * Applies a labeler's full answer about these subjects: labels missing from it are withdrawn, if an
 * answer brought them, or a stream that the labeler has lost. What its stream brought is withdrawn
 * only by a signed withdrawal.
 * @param requestedAt - milliseconds since 1970; newer labels arrived meanwhile and stay
 */
export function reconcileLabels(
  ctx: IndexContext,
  did: string,
  answer: { subjects: readonly string[]; labels: readonly NewLabel[]; requestedAt: number },
  capacity = Infinity,
): AppliedLabels {
  const src = ctx.actors.uidOf(did)
  const values = new Set(answer.labels.map(({ uri, val }) => `${val} ${uri}`))
  const queriedBefore = (subject: LabelSubject) =>
    queriedLabelsBefore(ctx.db, { subject, src, before: answer.requestedAt })
  for (const uri of src === 0 ? [] : answer.subjects) {
    const subject = labelSubject(ctx, uri)
    for (const val of subject ? queriedBefore(subject) : []) {
      if (!values.has(`${val} ${uri}`)) withdrawLabel(ctx.db, subject!, src, val)
    }
  }
  return applyLabels(ctx, did, answer.labels, { capacity, isStreamed: false })
}
