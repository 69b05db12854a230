// Guarded access to other people's servers, for this thread: every request is counted, and none is sent while
// the disk is full.

import type { Config } from '../base/config/config.ts'
import type { Counts } from '../base/obs/counts.ts'
import type { Logger } from '../base/obs/log.ts'
import { createGuardedFetch, type GuardedFetch } from '../sources/identity/guarded-fetch.ts'
import { createGuardedLookup } from '../sources/identity/guarded-lookup.ts'
import { createResolver } from '../sources/identity/resolver.ts'
import { DEFAULT_LIMITS } from './backfill/limits.ts'
import { fetchWithSpace } from './upkeep/disk/bear-full-disk.ts'
import type { DiskSpace } from './upkeep/disk/disk-space.ts'
import { countFetches } from './upkeep/status/count-work.ts'

type Dependencies = { counts: Counts; log: Logger; now: () => number; diskSpace: DiskSpace }

export function createOutside(
  { allowPrivateHosts, plcUrl }: Pick<Config, 'allowPrivateHosts' | 'plcUrl'>,
  { counts, log, now, diskSpace }: Dependencies,
) {
  const guarded = { allowPrivateHosts, trustedOrigins: [plcUrl], log }
  const counted = (fetch: GuardedFetch) => fetchWithSpace(countFetches(fetch, counts), diskSpace)
  // As many as jobs ask at once: a newcomer's first page waits for the documents of all their follows.
  const atDirectory = DEFAULT_LIMITS.identities
  const lookups = createGuardedFetch({ ...guarded, connectionsPerOrigin: atDirectory })
  const asking = { fetch: counted(lookups), atDirectory, now, log }
  return {
    fetch: counted(createGuardedFetch(guarded)),
    lookupFor: createGuardedLookup({ allowPrivateHosts }),
    resolver: createResolver({ allowPrivateHosts, plcUrl, ...asking }),
  }
}
