// Connects the fetching of earlier counts (counting.ts) with the ingest thread: the members whose
// timelines are scanned, and the access to the public AppView.

import type { Config } from '../../../base/config/config.ts'
import { settingsOf } from '../../../base/config/every-setting.ts'
import { forgetAllSeedCounts } from '../../../data/store/counts/seed-counts.ts'
import { allMembers } from '../../../data/store/members/members.ts'
import type { Core } from '../../../ingest/core.ts'
import { countFetches } from '../../../ingest/upkeep/status/count-work.ts'
import { createGuardedFetch } from '../../../sources/identity/guarded-fetch.ts'
import { fallbackSettings } from '../settings.ts'
import { type Counting, createCounting } from './counting.ts'

/**
 * Undefined if the operator wants to depend on no other server: then counts made by others are
 * dropped, too.
 */
export function createSeedCounting(config: Config, core: Core): Counting | undefined {
  const { allowPrivateHosts } = config
  const { fallbackAppview: origin } = settingsOf(config, fallbackSettings)
  const { actors, db, writer, memory, counts, diskSpace, log, now } = core
  if (origin === 'none') {
    void diskSpace.retry(() => writer.commit((ctx) => forgetAllSeedCounts(ctx.db)))
    return undefined
  }
  const { timelines } = memory
  const guarded = createGuardedFetch({ allowPrivateHosts, trustedOrigins: [origin], log })
  return createCounting({
    db,
    writer,
    actors,
    origin,
    log,
    now,
    scope: config.indexScope,
    writeRetry: diskSpace,
    fetch: countFetches(guarded, counts),
    members: () => allMembers(db).flatMap(({ uid }) => (timelines.isOpen(uid) ? [uid] : [])),
    newcomers: () => core.newcomers(),
    timelineItems: (member) =>
      timelines.read(member, undefined, config.timelineTarget)?.entries.map(({ item }) => item) ??
      [],
  })
}
