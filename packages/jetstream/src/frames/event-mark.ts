// Identifies an event independently of its seq: a host that lost its last events gives their seqs to others.
// Account, revision and time are not enough, since one commit may change many records.

import type { StreamItem } from '../event.ts'
import { shortHash } from '../platform.ts'

/** Short, and the same each time the event arrives over the same wire. */
export function markOf(item: StreamItem): string {
  const event = item.kind === 'unread' ? item.read() : item
  const what = event ? [event.did, event.kind, ...detailsOf(event)] : [item.kind]
  return shortHash([item.timeUs, ...what].join(' '))
}

function detailsOf(event: Exclude<StreamItem, { kind: 'unread' }>): (string | undefined)[] {
  if (event.kind === 'sync') return [event.rev]
  if (event.kind !== 'commit') return []
  return [event.rev, event.operation, event.collection, event.rkey]
}
