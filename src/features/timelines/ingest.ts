// The writer's part: what programs write, their tokens, and the periodic work on their timelines.

import { type IngestFeature, ingestCalls, operations } from '../../ingest/feature.ts'
import type { TimelineRequest, TokenRequests } from './requests.ts'
import { createTimelineRequests, tendTimelines } from './writing/timeline-requests.ts'
import { createToken, revokeToken } from './writing/tokens.ts'

export const ingest: IngestFeature = {
  operations: operations<TokenRequests>({
    'timelines/create-token'(ctx, token) {
      createToken(ctx, token)
      return {}
    },
    'timelines/revoke-token': (ctx, { name }) => ({ revoked: Number(revokeToken(ctx, name)) }),
  }),
  start(_config, core) {
    const write = createTimelineRequests({ ...core, tendLog: () => core.tendLog() })
    const tending = tendTimelines(core)
    return {
      calls: ingestCalls<{ 'timelines/write': TimelineRequest }>({
        'timelines/write': (_did, request) => write(request),
      }),
      stop: tending.stop,
    }
  },
}
