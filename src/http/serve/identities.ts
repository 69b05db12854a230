// A serving thread's word on who is who. Members' identities outlive the process in rows, which are read here and written
// by the ingest thread, and all threads hear where one is said to have changed.

import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/obs/log.ts'
import type { IngestConnection } from '../../bridge/connection.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { findKeptIdentity } from '../../data/store/kept-identities.ts'
import type { Identity } from '../../sources/identity/did-document.ts'
import type { GuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { KeptIdentities } from '../../sources/identity/identity-memory.ts'
import { createResolver, type Resolver } from '../../sources/identity/resolver.ts'

/** Of a document; a longer one, which no account of ours needs, is looked up after each start. */
const MAX_KEPT_LENGTH = 4096

type Parts = {
  config: Config
  log: Logger
  ingest: Pick<IngestConnection, 'writer' | 'onIdentitiesChanged'>
  lookups: GuardedFetch
  db: Db
  actors: Pick<ActorReader, 'uidOf'>
  isMember: (did: string) => boolean
}

export function createIdentities(parts: Parts): Resolver {
  const { config, log, ingest, lookups, isMember } = parts
  const tell = (did: string) => ingest.writer.send({ kind: 'identity-changed', did })
  const resolver = createResolver({
    ...{ ...config, fetch: lookups, log, isMember },
    // A writer that is busy leaves it to the stream.
    onKeyChanged: (did) => void tell(did).catch(() => undefined),
    kept: keptIdentities(parts),
  })
  ingest.onIdentitiesChanged((dids) => {
    for (const did of dids) resolver.doubt(did)
  })
  return resolver
}

function keptIdentities({ db, actors, ingest }: Parts): KeptIdentities {
  return {
    find(did) {
      const row = findKeptIdentity(db, actors.uidOf(did))
      return row && { identity: JSON.parse(row.identity) as Identity, asOf: row.as_of }
    },
    put(did, { identity, asOf }) {
      const text = JSON.stringify(identity ?? null)
      const kept = identity && text.length <= MAX_KEPT_LENGTH ? text : null
      // A writer that is busy, or has no room, is told again at the next look-up.
      const told = ingest.writer.send({ kind: 'identity-found', did, identity: kept, asOf })
      told.catch(() => undefined)
    },
  }
}
