// Whose DID document is said to have changed: by the stream, or by a serving thread that found another key
// than the one it had; and who was hidden. All threads look such an account up again before they believe its key, so that
// one that was revoked works for a moment longer and not for as long as documents are remembered.

import type { StreamItem } from '../../base/event.ts'
import type { IngestMessage } from '../../bridge/messages.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import type { MemoryChange } from '../indexing/memory-changes.ts'

export type IdentityNews = {
  ofEvents(events: readonly StreamItem[]): void
  /** Of a commit's changes: whose accounts were deleted, suspended or taken down. */
  ofHidden(changes: readonly MemoryChange[]): void
  of(dids: readonly string[]): void
}

export function createIdentityNews(parts: {
  tellAll: (message: IngestMessage) => void
  resolver: Pick<Resolver, 'doubt'>
  actors: Pick<ActorReader, 'didOf'>
}): IdentityNews {
  function of(dids: readonly string[]): void {
    if (dids.length === 0) return
    for (const did of dids) parts.resolver.doubt(did)
    parts.tellAll({ kind: 'identities-changed', dids: [...dids] })
  }

  return {
    of,
    ofEvents(events) {
      const dids = new Set<string>()
      for (const event of events) if (event.kind === 'identity') dids.add(event.did)
      of([...dids])
    },
    ofHidden(changes) {
      of(changes.flatMap((one) => (one.kind === 'hidden' ? [parts.actors.didOf(one.uid)] : [])))
    },
  }
}
