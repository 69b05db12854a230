// Identity resolution in a serving thread. Members' identities outlive the process in rows, which this thread
// reads and the ingest thread writes. All threads are notified when an identity is reported as changed.

import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/obs/log.ts'
import type { IngestConnection } from '../../bridge/connection.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { findStoredIdentity } from '../../data/store/members/stored-identities.ts'
import type { Identity } from '../../sources/identity/did-document.ts'
import type { GuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { CachedIdentities } from '../../sources/identity/identity-memory.ts'
import { createResolver, type Resolver } from '../../sources/identity/resolver.ts'

/**
 * Of a document; longer ones, which no account here needs, are looked up again after each start.
 */
const MAX_CACHED_LENGTH = 4096

type Dependencies = {
  config: Config
  log: Logger
  ingest: Pick<IngestConnection, 'writer' | 'onIdentitiesChanged'>
  lookups: GuardedFetch
  db: Db
  actors: Pick<ActorReader, 'uidOf'>
  isMember: (did: string) => boolean
}

export function createIdentities(parts: Dependencies): Resolver {
  const { config, log, ingest, lookups, isMember } = parts
  const tell = (did: string) => ingest.writer.send({ kind: 'identity-changed', did })
  const resolver = createResolver({
    ...config,
    fetch: lookups,
    log,
    isMember,
    // If the writer is busy, the stream reports it later.
    onKeyChanged: (did) => void tell(did).catch(() => undefined),
    identities: storedIdentities(parts),
  })
  ingest.onIdentitiesChanged((dids) => {
    for (const did of dids) resolver.doubt(did)
  })
  return resolver
}

function storedIdentities({ db, actors, ingest }: Dependencies): CachedIdentities {
  return {
    find(did) {
      const row = findStoredIdentity(db, actors.uidOf(did))
      return row && { identity: JSON.parse(row.identity) as Identity, asOf: row.as_of }
    },
    put(did, { identity, asOf }) {
      const text = JSON.stringify(identity ?? null)
      const stored = identity && text.length <= MAX_CACHED_LENGTH ? text : null
      // If the writer is busy or the disk is full, the next look-up sends it again.
      const notified = ingest.writer.send({ kind: 'identity-found', did, identity: stored, asOf })
      notified.catch(() => undefined)
    },
  }
}
