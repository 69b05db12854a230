// Accounts whose DID document may have changed, according to the stream or to a serving thread that found
// another key than the known one, and accounts that were hidden. All threads look them up again before
// trusting their key, so that a revoked key works for a moment longer and not until the cached document
// expires.

import type { StreamItem } from '@slipstream/jetstream'
import type { IngestMessage } from '../../../bridge/messages.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { Resolver } from '../../../sources/identity/resolver.ts'
import type { MemoryChange } from '../../indexing/memory/memory-changes.ts'

export type IdentityNews = {
  ofEvents(events: readonly StreamItem[]): void
  /** Announces the accounts that a commit's changes deleted, suspended or took down. */
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
      of(
        changes.flatMap((change) =>
          change.kind === 'hidden' ? [parts.actors.didOf(change.uid)] : [],
        ),
      )
    },
  }
}
