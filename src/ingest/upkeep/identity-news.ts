// Whose DID document is said to have changed: by the stream, or by a serving thread that found another key
// than the one it had. All threads look such an account up again before they believe its key, so that one
// that was revoked works for a moment longer and not for as long as documents are remembered.

import type { StreamItem } from '../../base/event.ts'
import type { IngestMessage } from '../../bridge/messages.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'

export type IdentityNews = {
  ofEvents(events: readonly StreamItem[]): void
  of(dids: readonly string[]): void
}

export function createIdentityNews(parts: {
  tellAll: (message: IngestMessage) => void
  resolver: Pick<Resolver, 'doubt'>
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
  }
}
