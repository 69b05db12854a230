// The ingest thread's part: counts from before our own counting began.

import { type IngestFeature, ingestCalls } from '../../ingest/feature.ts'
import { createSeedCounting } from './counts/seed-counting.ts'
import type { FallbackCalls } from './requests.ts'

export const ingest: IngestFeature = {
  start(config, core) {
    const counting = createSeedCounting(config, core)
    counting?.start()
    return {
      calls: ingestCalls<FallbackCalls>({
        'fallback/counts-requested': (_did, presented) => counting?.requested(presented),
      }),
      stop: () => counting?.stop(),
    }
  },
}
