import type { ComAtprotoLabelDefs } from '@atproto/api'
import { normalizeDatetimeAlways } from '@atproto/syntax'
import { hasType, text } from './fields.ts'

type Label = ComAtprotoLabelDefs.Label

export function selfLabels(
  record: { labels?: unknown; createdAt?: unknown },
  { did, uri, cid }: { did: string; uri: string; cid: string },
): Label[] {
  const { labels } = record
  if (!hasType<ComAtprotoLabelDefs.SelfLabels>(labels, 'com.atproto.label.defs#selfLabels')) {
    return []
  }
  if (!Array.isArray(labels.values) || labels.values.length === 0) return []
  const cts = normalizeDatetimeAlways(text(record.createdAt) ?? '')
  return labels.values.map(({ val }) => ({ src: did, uri, cid, val, cts }))
}
