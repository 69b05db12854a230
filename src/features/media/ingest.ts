// The writer's part: it counts how long videos are watched, and deletes figures that are too old.

import type { Core } from '../../ingest/core.ts'
import { type IngestFeature, ingestCalls } from '../../ingest/feature.ts'
import { mediaConfig } from './media-config.ts'
import type { MediaCalls } from './requests.ts'
import { createVideoWatches } from './watches/count-watches.ts'
import { startPruning } from './watches/prune-watches.ts'

export const ingest: IngestFeature = {
  start(config, core) {
    const days = mediaConfig(config).videoStatsDays
    const pruning = startPruning({ ...core, days })
    return { calls: callsOf(core), stop: pruning.stop }
  },
}

function callsOf(core: Pick<Core, 'writer' | 'counts' | 'now' | 'diskSpace'>) {
  const watched = createVideoWatches(core)
  return ingestCalls<MediaCalls>({
    'media/watched': (_did, { watches }) => core.diskSpace.attempt(() => watched.record(watches)),
  })
}
