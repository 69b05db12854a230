// /status/indexer: how far this server is behind the network, in the form that Blacksky's client polls to
// decide whether to read elsewhere meanwhile (blacksky-algorithms/blacksky.community, appview-status.ts).

import type { IngestStatus } from '../../bridge/messages.ts'

type IndexerStatus = {
  /** From the last event's time to now; null before the first event since the start. */
  ingestLagSeconds: number | null
  /** Events wait at their sender, never in a queue here. */
  indexerQueueLength: 0
}

export function indexerStatusOf(status: IngestStatus | undefined): IndexerStatus {
  const lagMs = status?.stream.lagMs
  return {
    ingestLagSeconds: lagMs === undefined ? null : Math.max(Math.round(lagMs / 1000), 0),
    indexerQueueLength: 0,
  }
}
