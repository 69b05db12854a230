// What link cards show of articles and publications, as a state holds it (load-associated.ts).

import { type AssociatedRef, associatedRefsIn } from '../../base/atproto/associated-refs.ts'
import { isSoundDocument, isSoundPublication } from './shapes/record-shapes.ts'
import type { AssociatedRecord } from './stored-records.ts'
import type { FeedState, Post } from './types.ts'

const checks = {
  'site.standard.document': isSoundDocument,
  'site.standard.publication': isSoundPublication,
}

/** Names a record in one version. */
export function associatedKey({ uri, cid }: Pick<AssociatedRef, 'uri' | 'cid'>): string {
  return `${uri} ${cid}`
}

export type FetchedAssociated = Omit<AssociatedRecord, 'record' | 'isHidden'>

/** @returns undefined if views can't use what cards show of it */
export function cardRecord(
  record: FetchedAssociated,
  content: unknown,
): AssociatedRecord | undefined {
  const isSound = checks[record.collection](content)
  return isSound ? ({ ...record, record: content } as AssociatedRecord) : undefined
}

/** Whether records that are not here would change how the post's link is shown. */
export function isWithoutCard(
  { associated }: Pick<FeedState, 'associated'>,
  { record }: Post,
): boolean {
  return associatedRefsIn(record).some((ref) => !associated.has(associatedKey(ref)))
}
