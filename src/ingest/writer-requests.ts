// What the serving side asks the writer to change, each in one transaction, answered when the change
// is committed and visible in memory.

import type { WriterReply, WriterRequest } from '../bridge.ts'
import type { IndexContext } from '../indexing/index-context.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { memberSeen, mute, unmute } from '../indexing/members.ts'
import type { MemoryChange } from '../indexing/memory-changes.ts'
import { wantMissing } from '../indexing/wanted.ts'

export type WriterParts = {
  indexer: Indexer
  publish: (changes: MemoryChange[]) => void
  /** The account reads: its timeline is put in memory where it is not. */
  openTimeline: (did: string) => void
  /** New work may be waiting for other people's servers. */
  wakeBackfill: () => void
}

export function createWriterRequests(parts: WriterParts): (request: WriterRequest) => WriterReply {
  const { indexer, publish } = parts
  return (request) => {
    try {
      publish(indexer.run((ctx) => apply(ctx, request)))
      if (request.kind === 'member-seen') parts.openTimeline(request.did)
      parts.wakeBackfill()
      return { id: request.id, ok: true }
    } catch (error) {
      const { name, message } = error as Error
      return { id: request.id, ok: false, error: name, message }
    }
  }
}

function apply(ctx: IndexContext, request: WriterRequest): void {
  switch (request.kind) {
    case 'member-seen':
      return memberSeen(ctx, request.did)
    case 'mute':
      return mute(ctx, request.did, request.subjectDid)
    case 'unmute':
      return unmute(ctx, request.did, request.subjectDid)
    case 'wanted':
      return wantMissing(ctx, request)
  }
}
